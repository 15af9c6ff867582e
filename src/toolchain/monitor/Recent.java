package wattline.monitor.service;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import wattline.monitor.probe.ThreadRecord;

/**
 * What one thread did of late: its samples by method, in code that computes and in native
 * methods that call the system. They share its user time and its system time: who has called
 * the system often has to wait for a processor there, so samples alone say too much of it.
 */
final class Recent {
    private final Samples computing = new Samples();
    private final Samples calling = new Samples();
    private long used = -1;
    private long user;

    /** A sample, which stands for some periods. */
    void add(int method, double periods, boolean calls) {
        (calls ? calling : computing).add(method, periods);
    }

    /** Takes the thread's processor time; gives what was added since the last time. */
    long used(long now) {
        long more = used < 0 ? 0 : now - used;
        used = now;
        return more;
    }

    /** Whether there is a sample. */
    boolean isKnown() {
        return computing.sum + calling.sum > 0;
    }

    /** Whether its user time is asked for. */
    boolean doesBoth() {
        return computing.sum > 0 && calling.sum > 0;
    }

    /**
     * Shares processor time among the methods; `userNow` is the thread's user time up to now,
     * in steps of 10 ms: what is too much or too little now is made good the next time.
     */
    void share(long nanos, long userNow, ThreadRecord record) {
        long part = calling.sum > 0 ? 0 : nanos;
        if (doesBoth()) {
            boolean isFirst = user == 0;
            part = isFirst ? Math.round((double) nanos * userNow / used) : userNow - user;
            part = Math.max(0, Math.min(nanos, part));
            user = isFirst ? userNow : user + part;
        }
        computing.share(part, record);
        calling.share(nanos - part, record);
    }

    /** Periods by method, of which older ones count for less. */
    private static final class Samples {
        /** Periods that are kept at most; of a busy thread those of about ten seconds. */
        private static final double KEPT = 256;
        /** What is less is forgotten. */
        private static final double LEAST = 1.0 / 64;

        private final Map<Integer, Double> periods = new HashMap<>();
        private double sum;

        void add(int method, double many) {
            periods.merge(method, many, Double::sum);
            sum += many;
            if (sum > KEPT) {
                halve();
            }
        }

        private void halve() {
            sum = 0;
            for (Iterator<Map.Entry<Integer, Double>> all = periods.entrySet().iterator(); all.hasNext();) {
                Map.Entry<Integer, Double> one = all.next();
                one.setValue(one.getValue() / 2);
                if (one.getValue() < LEAST) {
                    all.remove();
                } else {
                    sum += one.getValue();
                }
            }
        }

        void share(long nanos, ThreadRecord record) {
            for (Map.Entry<Integer, Double> one : periods.entrySet()) {
                record.time(one.getKey(), Math.round(nanos * one.getValue() / sum));
            }
        }
    }
}

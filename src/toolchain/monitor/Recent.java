package wattline.monitor.service;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import wattline.monitor.probe.ThreadRecord;

/** What one thread did of late: periods by method, of which older ones count for less. */
final class Recent {
    /** Periods that are kept at most; of a busy thread those of about five seconds. */
    private static final double KEPT = 256;
    /** What is less is forgotten. */
    private static final double LEAST = 1.0 / 64;

    private final Map<Integer, Double> periods = new HashMap<>();
    private double sum;
    private long used = -1;

    /** A sample, which stands for some periods. */
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

    /** Takes the thread's processor time; gives what was added since the last time. */
    long used(long now) {
        long more = used < 0 ? 0 : now - used;
        used = now;
        return more;
    }

    /** Whether there is a sample. */
    boolean isKnown() {
        return sum > 0;
    }

    /** Shares processor time among the methods. */
    void share(long nanos, ThreadRecord record) {
        for (Map.Entry<Integer, Double> one : periods.entrySet()) {
            record.time(one.getKey(), Math.round(nanos * one.getValue() / sum));
        }
    }
}

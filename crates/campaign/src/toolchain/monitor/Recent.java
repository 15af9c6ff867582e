package wattline.monitor.service;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * What one thread, or several that do the same, did of late: samples by node of the tree of
 * calls, in Java code, in native methods that compute, and in those that call the system.
 *
 * These have its system time at least, and more where their samples say so: what they compute
 * before they call is user time. Their samples are taken while they wait in the system, too,
 * so as many count for nothing as the thread was neither running nor ready to run.
 *
 * What Java code and native methods have of the rest, samples tell in two ways, and the mean
 * is taken. By their numbers, Java code has too little on a busy machine, where a thread that
 * gets no processor in time has no sample there. By the part of the time for which the thread
 * was ready, native methods have too little there, as a thread that is halted for a sample of
 * Java code waits for a processor once more.
 */
final class Recent {
    /** Where a sample was. */
    enum Place { IN_JAVA, IN_NATIVE, CALLING }

    private final Samples inJava = new Samples();
    private final Samples inNative = new Samples();
    private final Samples calling = new Samples();
    /** Those since CPU time was shared last: in Java code and native methods that compute,
     * and in those that call the system. */
    private final Samples newest = new Samples();
    private final Samples newestCalling = new Samples();
    /** Threads that do the same. */
    String kin = "";
    private long used;
    private long user;
    private long system;
    private long ready = -1;
    /** Periods, of which older ones count for less as those of the samples do. */
    private double blocked;
    /** Periods of real time in native methods that compute, and those for which it was ready. */
    private double nativePeriods;
    private double readyPeriods;

    /** A sample, which stands for some periods; `system` is the system's number of the thread. */
    void add(long system, int node, Place place, double periods) {
        this.system = system;
        (place == Place.IN_JAVA ? inJava : place == Place.IN_NATIVE ? inNative : calling).add(node, periods);
        (place == Place.CALLING ? newestCalling : newest).add(node, periods);
        halve();
    }

    /** Takes what a thread that has ended was seen doing since it was looked at last. */
    void takeNewest(Recent ended) {
        inJava.add(ended.newest);
        calling.add(ended.newestCalling);
        halve();
    }

    private void halve() {
        if (inJava.sum + inNative.sum > Samples.KEPT) {
            inJava.halve();
            inNative.halve();
        }
        if (calling.sum > Samples.KEPT) {
            calling.halve();
            blocked /= 2;
        }
    }

    /** Such a sample stands for so much real time in native methods that compute. */
    void inNative(double periods) {
        nativePeriods += periods;
    }

    /** So much real time has passed since the last time, and so much CPU time was used. */
    void passed(double periods, double usedPeriods, double periodNanos) {
        if (inNative.sum + calling.sum == 0) {
            return;
        }
        long now = Scheduler.readyNanos(system);
        boolean isFirst = now >= 0 && ready < 0;
        boolean known = now >= 0 && ready >= 0;
        double wasReady = known ? (now - ready) / periodNanos : usedPeriods;
        ready = now;
        if (isFirst) {
            return;
        }
        blocked = Math.min(Samples.KEPT, blocked + Math.max(0, periods - wasReady));
        readyPeriods += known ? wasReady : 0;
        if (readyPeriods > Samples.KEPT) {
            readyPeriods /= 2;
            nativePeriods /= 2;
        }
    }

    /** Takes the thread's CPU time; gives what was added since the last time. */
    long used(long now) {
        long more = now - used;
        used = now;
        return more;
    }

    /** The thread's CPU time when it was looked at last. */
    long used() {
        return used;
    }

    /** Periods of the samples since CPU time was shared last. */
    double newestPeriods() {
        return newest.sum + newestCalling.sum;
    }

    /** Whether there is a sample. */
    boolean isKnown() {
        return inJava.sum + inNative.sum + calling.sum > 0;
    }

    /** Whether its user time is asked for. */
    boolean doesBoth() {
        return inJava.sum + inNative.sum > 0 && calling.sum > 0;
    }

    /**
     * Shares CPU time among the nodes; `userNow` is the thread's user time up to now,
     * in steps of 10 ms: what is too much or too little now is made good the next time.
     */
    void share(long nanos, long userNow, Sampled to) {
        long part = calling.sum > 0 ? 0 : nanos;
        if (doesBoth()) {
            boolean isFirst = user == 0;
            part = isFirst ? Math.round((double) nanos * userNow / used) : userNow - user;
            part = Math.max(0, Math.min(nanos, part));
            user = isFirst ? userNow : user + part;
        }
        double computing = inJava.sum + inNative.sum;
        double called = Math.max(0, calling.sum - blocked);
        if (called > 0) {
            part = Math.min(part, Math.round(nanos * computing / (computing + called)));
        }
        long inNatives = computing > 0 ? Math.round(part * nativePart((double) part / nanos)) : 0;
        inJava.share(part - inNatives, to);
        inNative.share(inNatives, to);
        calling.share(nanos - part, to);
    }

    /**
     * The same for threads that nobody can ask for their user time, or for how long they waited:
     * those that compute share it, and calls of the system where nothing else was seen.
     */
    void shareByNumbers(long nanos, Sampled to) {
        (inJava.sum > 0 ? inJava : calling).share(nanos, to);
    }

    /** Samples from now on are new ones. */
    void isShared() {
        newest.clear();
        newestCalling.clear();
    }

    /** What native methods have of what is computed, which is this part of all. */
    private double nativePart(double computed) {
        double byNumbers = inNative.sum / (inJava.sum + inNative.sum);
        if (inNative.sum == 0 || inJava.sum == 0 || readyPeriods == 0 || computed <= 0) {
            return byNumbers;
        }
        double byTime = Math.min(1, nativePeriods / (readyPeriods * computed));
        return (byNumbers + byTime) / 2;
    }

    /** Periods by node, of which older ones count for less. */
    private static final class Samples {
        /** Periods that are kept at most; of a busy thread those of about ten seconds. */
        private static final double KEPT = 256;
        /** What is less is forgotten. */
        private static final double LEAST = 1.0 / 64;

        private final Map<Integer, Double> periods = new HashMap<>();
        private double sum;

        void add(int node, double many) {
            periods.merge(node, many, Double::sum);
            sum += many;
        }

        void add(Samples others) {
            others.periods.forEach(this::add);
        }

        void clear() {
            periods.clear();
            sum = 0;
        }

        void halve() {
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

        void share(long nanos, Sampled to) {
            for (Map.Entry<Integer, Double> one : periods.entrySet()) {
                to.time(one.getKey(), Math.round(nanos * one.getValue() / sum));
            }
        }
    }
}

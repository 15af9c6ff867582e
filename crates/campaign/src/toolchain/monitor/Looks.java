package wattline.monitor.service;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Looks at the stacks of the threads that have used CPU time since the last look, and
 * books it, where they run at this moment, to the topmost frame that the filter accepts. For
 * JVMs without a recorder: a look sees a thread that runs Java code at its next safepoint,
 * often in another method.
 */
final class Looks {
    /** Between two looks, where nobody says otherwise. */
    private static final long PERIOD_MILLIS = 20;
    /** The part of the JVM's CPU time that looks may take then; waking up for them and
     * being read take about as much again. */
    private static final double PART = 0.005;

    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final com.sun.management.OperatingSystemMXBean system =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Sampler sampler;
    private final long periodNanos;
    private final double part;
    /** By thread: its CPU time at the last look, and what of it is not booked yet. */
    private final Map<Long, long[]> used = new HashMap<>();

    /** The period in milliseconds, or null for one that costs little. */
    Looks(Sampler sampler, String period) {
        this.sampler = sampler;
        periodNanos = 1_000_000 * (period == null ? PERIOD_MILLIS : Long.parseLong(period));
        part = period == null ? PART : Double.POSITIVE_INFINITY;
    }

    /** Until it is to stop. */
    void run(BooleanSupplier stopped) {
        long looked = system.getProcessCpuTime();
        long used = looked;
        double due = periodNanos;
        while (!stopped.getAsBoolean()) {
            LockSupport.parkNanos(Math.max(periodNanos, (long) due - (used - looked)));
            // a process that uses little is looked at seldom, so that looks stay a small part
            used = system.getProcessCpuTime();
            if (used - looked < due) {
                continue;
            }
            looked = used;
            long begin = threads.getCurrentThreadCpuTime();
            try {
                look();
            } catch (RuntimeException problem) {
                Service.complain("a sample was lost: " + problem);
            }
            long took = threads.getCurrentThreadCpuTime() - begin;
            // smoothed: single looks meet more or fewer threads
            due = Math.max(periodNanos, 0.9 * due + 0.1 * took / part);
        }
    }

    private void look() {
        long[] ids = threads.getAllThreadIds();
        long[] times = threads.getThreadCpuTime(ids);
        long[] busy = new long[ids.length];
        int count = 0;
        for (int i = 0; i < ids.length; i++) {
            long[] known = used.computeIfAbsent(ids[i], id -> new long[] {-1, 0});
            long more = known[0] < 0 ? 0 : times[i] - known[0];
            known[0] = times[i];
            if (more > 0 && ids[i] != Thread.currentThread().getId()) {
                known[1] += more;
                busy[count++] = ids[i];
            }
        }
        if (used.size() > 2 * ids.length + 64) {
            forget(ids);
        }
        ThreadInfo[] infos = count == 0 ? new ThreadInfo[0]
                : threads.getThreadInfo(java.util.Arrays.copyOf(busy, count), Sampler.DEPTH);
        for (ThreadInfo info : infos) {
            if (info != null && runs(info) && !info.getThreadName().startsWith("wattline-")) {
                StackTraceElement frame = sampler.accepted(info.getStackTrace());
                if (frame != null) {
                    long[] known = used.get(info.getThreadId());
                    sampler.book(info.getThreadId(), sampler.number(frame), known[1]);
                    known[1] = 0;
                }
            }
        }
    }

    /**
     * Whether a thread runs at this moment. One that waits has used its time elsewhere: it
     * is booked when the thread is seen running the next time.
     */
    private static boolean runs(ThreadInfo info) {
        StackTraceElement[] stack = info.getStackTrace();
        return info.getThreadState() == Thread.State.RUNNABLE && stack.length > 0
                && !Sampler.waits(stack[0].getClassName(), stack[0].getMethodName());
    }

    private void forget(long[] alive) {
        Set<Long> keep = new HashSet<>();
        for (long id : alive) {
            keep.add(id);
        }
        used.keySet().retainAll(keep);
    }
}

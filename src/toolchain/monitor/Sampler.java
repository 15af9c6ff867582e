package wattline.monitor.service;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import wattline.monitor.probe.Probe;
import wattline.monitor.probe.ThreadRecord;

/**
 * Looks at the stacks of the threads that have used processor time since the last look, and
 * books it, where they run at this moment, to the topmost frame that the filter accepts.
 * Nothing is woven.
 */
final class Sampler implements Runnable, Probe.ByteSampler {
    private static final int DEPTH = 64;
    /** Between two looks, where nobody says otherwise. */
    private static final long PERIOD_MILLIS = 20;
    /** The part of the JVM's processor time that looks may take then; waking up for them and
     * being read take about as much again. */
    private static final double PART = 0.005;

    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final com.sun.management.OperatingSystemMXBean system =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Filter filter;
    private final Methods methods;
    private final long periodNanos;
    private final double part;
    /** By thread: its processor time at the last look, and what of it is not booked yet. */
    private final Map<Long, long[]> used = new HashMap<>();
    private final Map<Long, ThreadRecord> records = new HashMap<>();
    private volatile boolean stopped;

    /** The period in milliseconds, or null for one that costs little. */
    Sampler(Filter filter, Methods methods, String period) {
        this.filter = filter;
        this.methods = methods;
        this.periodNanos = 1_000_000 * (period == null ? PERIOD_MILLIS : Long.parseLong(period));
        this.part = period == null ? PART : Double.POSITIVE_INFINITY;
    }

    void stop() {
        stopped = true;
    }

    @Override
    public void run() {
        long looked = system.getProcessCpuTime();
        long used = looked;
        double due = periodNanos;
        while (!stopped) {
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
                : threads.getThreadInfo(java.util.Arrays.copyOf(busy, count), DEPTH);
        for (ThreadInfo info : infos) {
            if (info != null && runs(info) && !info.getThreadName().startsWith("wattline-")) {
                StackTraceElement frame = frame(info.getStackTrace());
                if (frame != null) {
                    long[] known = used.get(info.getThreadId());
                    record(info.getThreadId()).sample(number(frame), known[1]);
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
        if (info.getThreadState() != Thread.State.RUNNABLE || stack.length == 0) {
            return false;
        }
        String top = stack[0].getMethodName();
        switch (stack[0].getClassName()) {
            case "sun.nio.ch.EPoll":
            case "sun.nio.ch.EPollArrayWrapper":
            case "sun.nio.ch.KQueue":
                return !top.startsWith("wait") && !top.equals("epollWait") && !top.equals("poll");
            case "sun.nio.ch.Net":
                return !top.equals("poll") && !top.equals("accept");
            case "java.net.PlainSocketImpl":
                return !top.equals("socketAccept");
            case "java.lang.ref.Reference":
                return false;
            default:
                return true;
        }
    }

    private void forget(long[] alive) {
        java.util.Set<Long> keep = new java.util.HashSet<>();
        for (long id : alive) {
            keep.add(id);
        }
        used.keySet().retainAll(keep);
        records.keySet().retainAll(keep);
    }

    /** The record of a thread by number: made by the thread itself, or here. */
    private ThreadRecord record(long id) {
        ThreadRecord known = records.get(id);
        if (known == null) {
            for (Thread thread : Service.threads()) {
                if (thread.getId() == id) {
                    known = ThreadRecord.of(thread);
                }
            }
            if (known == null) {
                // it ends just now
                known = ThreadRecord.of(Thread.currentThread());
            }
            records.put(id, known);
        }
        return known;
    }

    private StackTraceElement frame(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (filter.accepts(frame.getClassName())) {
                return frame;
            }
        }
        return null;
    }

    private int number(StackTraceElement frame) {
        int line = Math.max(0, frame.getLineNumber());
        String owner = frame.getClassName();
        int lambda = owner.indexOf("$$Lambda");
        if (lambda >= 0) {
            // what follows is another number in each run
            owner = owner.substring(0, lambda + "$$Lambda".length());
        }
        return methods.number(owner, frame.getMethodName(), "", frame.getFileName(), line, line);
    }

    /** The bytes since the last look go to the method that is on top now. */
    @Override
    public void book(ThreadRecord record) {
        StackTraceElement frame = StackWalker.getInstance().walk(frames -> frames.limit(DEPTH)
                .filter(one -> filter.accepts(one.getClassName())).findFirst()
                .map(StackWalker.StackFrame::toStackTraceElement).orElse(null));
        if (frame != null) {
            record.bytes(number(frame), record.outsideIn, record.outsideOut);
            record.outsideIn = 0;
            record.outsideOut = 0;
        }
    }
}

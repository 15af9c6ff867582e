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
 * books that time to the topmost frame that the filter accepts. Nothing is woven.
 */
final class Sampler implements Runnable, Probe.ByteSampler {
    private static final int DEPTH = 64;

    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Filter filter;
    private final Methods methods;
    private final long periodNanos;
    private final Map<Long, Long> used = new HashMap<>();
    private final Map<Long, ThreadRecord> records = new HashMap<>();
    private volatile boolean stopped;

    Sampler(Filter filter, Methods methods, long periodMillis) {
        this.filter = filter;
        this.methods = methods;
        this.periodNanos = periodMillis * 1_000_000;
    }

    void stop() {
        stopped = true;
    }

    @Override
    public void run() {
        while (!stopped) {
            LockSupport.parkNanos(periodNanos);
            try {
                look();
            } catch (RuntimeException problem) {
                Service.complain("a sample was lost: " + problem);
            }
        }
    }

    private void look() {
        long[] ids = threads.getAllThreadIds();
        long[] times = threads.getThreadCpuTime(ids);
        long[] busy = new long[ids.length];
        long[] spent = new long[ids.length];
        int count = 0;
        for (int i = 0; i < ids.length; i++) {
            Long before = used.put(ids[i], times[i]);
            long more = before == null ? 0 : times[i] - before;
            if (more > 0 && ids[i] != Thread.currentThread().getId()) {
                busy[count] = ids[i];
                spent[count++] = more;
            }
        }
        if (used.size() > 2 * ids.length + 64) {
            forget(ids);
        }
        ThreadInfo[] infos = count == 0 ? new ThreadInfo[0]
                : threads.getThreadInfo(java.util.Arrays.copyOf(busy, count), DEPTH);
        for (int i = 0; i < infos.length; i++) {
            if (infos[i] != null && !infos[i].getThreadName().startsWith("wattline-")) {
                StackTraceElement frame = frame(infos[i].getStackTrace());
                if (frame != null) {
                    record(busy[i]).sample(number(frame), spent[i]);
                }
            }
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
        return methods.number(frame.getClassName(), frame.getMethodName(), "", frame.getFileName(), line, line);
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

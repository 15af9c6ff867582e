package org.wattline.junit;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** CPU time of the Java threads, and of threads that ended before anybody read it. */
final class JavaThreads {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final Set<String> SERVICES = Set.of(
            "Reference Handler", "Finalizer", "Signal Dispatcher", "Notification Thread", "Common-Cleaner",
            "Attach Listener");
    /** The system counts the CPU time of a process in steps of this, and is behind by up to one. */
    private static final long STEP_NANOS = 10_000_000;

    private final Map<Long, Long> lastNanos = new HashMap<>();
    private final Map<Long, Remainder> owners = new HashMap<>();
    private final long processAtStart = PROCESS.getProcessCpuTime();
    private long accountedNanos;

    JavaThreads() {
        advance();
        accountedNanos = 0;
    }

    /** Nanoseconds of each living thread, by its number, since the last call. */
    Map<Long, Long> advance() {
        long[] ids = THREADS.getAllThreadIds();
        long[] times = THREADS.getThreadCpuTime(ids);
        Map<Long, Long> spent = new HashMap<>();
        for (int i = 0; i < ids.length; i++) {
            if (times[i] >= 0) {
                spent.put(ids[i], since(ids[i], times[i]));
            }
        }
        lastNanos.keySet().retainAll(spent.keySet());
        return spent;
    }

    /** Nanoseconds of the calling thread since it was last read; 0 for a virtual thread. */
    long advanceCaller() {
        try {
            long nanos = THREADS.getCurrentThreadCpuTime();
            return nanos < 0 ? 0 : since(Thread.currentThread().getId(), nanos);
        } catch (UnsupportedOperationException isVirtual) {
            return 0;
        }
    }

    private long since(long id, long nanos) {
        Long before = lastNanos.put(id, nanos);
        long more = Math.max(0, nanos - (before == null ? 0 : before));
        accountedNanos += more;
        return more;
    }

    /**
     * Nanoseconds of threads that ended, and of threads outside Java that are none of the JVM,
     * since the last call; `jvmNanos` is what the JVM's own threads have spent since then.
     */
    long endedNanos(long jvmNanos) {
        accountedNanos += jvmNanos;
        long ended = PROCESS.getProcessCpuTime() - processAtStart - STEP_NANOS - accountedNanos;
        if (ended <= 0) {
            return 0;
        }
        accountedNanos += ended;
        return ended;
    }

    /** The remainder that a thread belongs to, whatever tests run; null for one of the program. */
    Remainder owner(long id) {
        if (!owners.containsKey(id)) {
            owners.put(id, named(THREADS.getThreadInfo(id)));
        }
        return owners.get(id);
    }

    private static Remainder named(ThreadInfo thread) {
        String name = thread == null ? "" : thread.getThreadName();
        if (name.startsWith("wattline-") || name.startsWith("JFR ")) {
            return Remainder.WATTLINE;
        }
        if (SERVICES.contains(name)) {
            return Remainder.JVM;
        }
        return name.startsWith("surefire-") ? Remainder.OUTSIDE : null;
    }
}

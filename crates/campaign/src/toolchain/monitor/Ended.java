package wattline.monitor.service;

import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.Map;

/**
 * CPU time of threads that have ended, which nobody can ask for any more: what the
 * process has used and its living threads, the JVM's own among them, have not. What an ended
 * thread had used when it was looked at last was its own then, and is not counted here.
 */
final class Ended {
    private final java.lang.management.ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final com.sun.management.OperatingSystemMXBean system =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    /** By the system's number of a living thread: what it had used at the last look. */
    private Map<Long, Long> seen = Collections.emptyMap();
    /** What threads had used that ended before the first look. */
    private final long before;
    /** What those that ended since then had used when they were looked at last. */
    private long known;
    private long count;
    private long nanos;

    Ended() {
        before = unseen();
        count = ended();
    }

    /** Up to now, since this was made; -1 where the system does not say what threads use. */
    synchronized long nanos() {
        long unseen = unseen();
        if (seen.isEmpty()) {
            return -1;
        }
        // without an ended thread, what is left is the clocks' grain
        long now = ended();
        if (now != count) {
            count = now;
            nanos = Math.max(nanos, unseen - before - known);
        }
        return nanos;
    }

    /** How many threads of Java's have ended. */
    private long ended() {
        return threads.getTotalStartedThreadCount() - threads.getThreadCount();
    }

    /** What the process has used, and no living thread. */
    private long unseen() {
        Map<Long, Long> now = Scheduler.threads();
        long living = 0;
        for (long used : now.values()) {
            living += used;
        }
        for (Map.Entry<Long, Long> one : seen.entrySet()) {
            known += now.containsKey(one.getKey()) ? 0 : one.getValue();
        }
        seen = now;
        return system.getProcessCpuTime() - living;
    }
}

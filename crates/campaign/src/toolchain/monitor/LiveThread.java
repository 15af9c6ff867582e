package wattline.monitor.service;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A platform thread that lives, and the CPU time that it has used up to now. */
final class LiveThread {
    /** The JVM's first thread goes on under another name and number once `main` has returned. */
    private static final String AFTER_MAIN = "DestroyJavaVM";
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    /** The number of the first thread, where `main` has not returned before; else 0. */
    private static final long MAIN = main();

    final long id;
    final String name;
    final long usedNanos;
    /** Whether virtual threads run on it. */
    final boolean carries;

    private LiveThread(Thread thread, long usedNanos) {
        boolean isFirst = MAIN > 0 && thread.getName().equals(AFTER_MAIN);
        id = isFirst ? MAIN : thread.getId();
        name = isFirst ? "main" : thread.getName().replace('\n', ' ');
        this.usedNanos = usedNanos;
        ThreadGroup group = thread.getThreadGroup();
        carries = group != null && group.getName().equals("CarrierThreads");
    }

    /** Remembers which thread is the first, while it has its name. */
    static void prepare() {
        // the class's initialiser does it
    }

    /** All of them. */
    static List<LiveThread> all() {
        Thread[] threads = threads();
        long[] times = THREADS.getThreadCpuTime(Arrays.stream(threads).mapToLong(Thread::getId).toArray());
        List<LiveThread> all = new ArrayList<>();
        for (int i = 0; i < threads.length; i++) {
            if (times[i] >= 0) {
                all.add(new LiveThread(threads[i], times[i]));
            }
        }
        return all;
    }

    private static long main() {
        return Arrays.stream(threads()).filter(thread -> thread.getName().equals("main"))
                .mapToLong(Thread::getId).min().orElse(0);
    }

    private static Thread[] threads() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        Thread[] all = new Thread[root.activeCount() * 2 + 16];
        return Arrays.copyOf(all, root.enumerate(all));
    }
}

package wattline.monitor.service;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;

/** What the system's scheduler says of threads, by the numbers that the system gave them. */
final class Scheduler {
    private static final String THREADS = "/proc/self/task";

    private Scheduler() {
    }

    /**
     * Nanoseconds for which a thread ran, or was ready and waited for a processor; -1 where the
     * system does not say so.
     */
    static long readyNanos(long thread) {
        long[] times = times(String.valueOf(thread));
        return times.length < 2 ? -1 : times[0] + times[1];
    }

    /** Nanoseconds for which each thread of the process ran, the JVM's own among them; none
     * where the system does not say so. */
    static Map<Long, Long> threads() {
        Map<Long, Long> all = new HashMap<>();
        String[] names = new File(THREADS).list();
        for (String name : names == null ? new String[0] : names) {
            long[] times = times(name);
            if (times.length > 0) {
                all.put(Long.valueOf(name), times[0]);
            }
        }
        return all;
    }

    /** Nanoseconds on a processor and waiting for one; empty for a thread that has ended. */
    private static long[] times(String thread) {
        try {
            byte[] text = Files.readAllBytes(Paths.get(THREADS, thread, "schedstat"));
            String[] words = new String(text, StandardCharsets.US_ASCII).trim().split(" ");
            return words.length < 2 ? new long[0] : new long[] {Long.parseLong(words[0]), Long.parseLong(words[1])};
        } catch (IOException | NumberFormatException unknown) {
            return new long[0];
        }
    }
}

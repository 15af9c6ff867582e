package wattline.monitor.service;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

/** What the system's scheduler says of a thread. */
final class Scheduler {
    private Scheduler() {
    }

    /**
     * Nanoseconds for which a thread ran, or was ready and waited for a processor; -1 where the
     * system does not say so. The thread has the number that the system gave it.
     */
    static long readyNanos(long thread) {
        try {
            byte[] text = Files.readAllBytes(Paths.get("/proc/self/task/" + thread + "/schedstat"));
            String[] words = new String(text, StandardCharsets.US_ASCII).trim().split(" ");
            return words.length < 2 ? -1 : Long.parseLong(words[0]) + Long.parseLong(words[1]);
        } catch (IOException | NumberFormatException unknown) {
            return -1;
        }
    }
}

package wattline.simulation;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;

/**
 * Whether all threads of this process but the asking one sleep. As a look at several is not one
 * moment, there are two: who has not run in between has slept all along.
 */
final class OtherThreads {
    private static final File TASKS = new File("/proc/self/task");

    private OtherThreads() {
    }

    /** Threads that ask take turns, so that they don't wait for each other. */
    static synchronized boolean areAsleep() throws InterruptedException {
        String[] first = look();
        if (first == null) {
            return false;
        }
        Thread.sleep(1);
        return Arrays.equals(first, look());
    }

    /** How often each sleeping thread has run; null if another than this one does not sleep. */
    private static String[] look() {
        String[] threads = TASKS.list();
        if (threads == null) {
            return null;
        }
        String[] runs = new String[threads.length];
        int awake = 0;
        for (int i = 0; i < threads.length; i++) {
            String text = status(threads[i]);
            if (text == null || !text.contains("\nState:\tS")) {
                awake++;
                runs[i] = threads[i];
            } else {
                // How often it has waited and how often it was interrupted: the two last lines.
                runs[i] = threads[i] + text.substring(Math.max(0, text.indexOf("\nvoluntary_ctxt_switches:")));
            }
        }
        // Nobody who looks sleeps.
        return awake == 1 ? runs : null;
    }

    private static String status(String thread) {
        try {
            byte[] text = Files.readAllBytes(new File(new File(TASKS, thread), "status").toPath());
            return new String(text, StandardCharsets.US_ASCII);
        } catch (IOException e) {
            // It has just ended.
            return null;
        }
    }
}

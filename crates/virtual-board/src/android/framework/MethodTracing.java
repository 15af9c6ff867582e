package wattline.board;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;

/** The board's sampler of methods, which looks at this process from start to stop. */
public final class MethodTracing {
    private static final int DEFAULT_BYTES = 8 * 1024 * 1024;
    private static final int LEAST_BYTES = 1024;

    private static String running;

    private MethodTracing() {
    }

    public static synchronized boolean isRunning() {
        return running != null;
    }

    public static synchronized void start(String path, int bufferBytes, int intervalMicros) {
        if (bufferBytes != 0 && bufferBytes < LEAST_BYTES) {
            throw new IllegalArgumentException("buffer size < " + LEAST_BYTES + ": " + bufferBytes);
        }
        if (intervalMicros <= 0) {
            throw new RuntimeException("Invalid sampling interval: " + intervalMicros);
        }
        stop();
        try {
            new FileOutputStream(path).close();
        } catch (IOException e) {
            throw new RuntimeException("Unable to open trace file '" + path + "': " + e.getMessage());
        }
        int bytes = bufferBytes == 0 ? DEFAULT_BYTES : bufferBytes;
        Board.report("sample", path, String.valueOf(bytes), String.valueOf(intervalMicros));
        running = path;
    }

    /** The board writes the trace before it answers the next question. */
    public static synchronized void stop() {
        if (running == null) {
            return;
        }
        File trace = new File(running);
        running = null;
        Board.report("sampled");
        Board.nanoTime();
        if (trace.length() == 0) {
            throw new RuntimeException("Trace data write failed: No space left on device");
        }
    }
}

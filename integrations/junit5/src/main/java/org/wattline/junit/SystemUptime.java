package org.wattline.junit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The clock of recordings, seconds since the machine started, as moments of System.nanoTime. */
final class SystemUptime {
    private static final Path FILE = Path.of("/proc/uptime");
    private static final long WAIT_NANOS = 100_000_000;
    /** The file has hundredths, and the monitor's first reading is late by half of one on average. */
    private static final long MEAN_LATENESS_NANOS = 5_000_000;

    private final long startNanos;

    private SystemUptime(long startNanos) {
        this.startNanos = startNanos;
    }

    /** Reads the clock at the moment at which it moves on. */
    static SystemUptime read() throws IOException {
        long until = System.nanoTime() + WAIT_NANOS;
        double first = seconds();
        double last = first;
        while (last == first && System.nanoTime() < until) {
            last = seconds();
        }
        return new SystemUptime(System.nanoTime() - Math.round(last * 1e9));
    }

    private static double seconds() throws IOException {
        String text = new String(Files.readAllBytes(FILE), StandardCharsets.US_ASCII);
        return Double.parseDouble(text.substring(0, text.indexOf(' ')));
    }

    /** The moment of a time in a recording. */
    long nanoTime(double uptimeSeconds) {
        return startNanos + Math.round(uptimeSeconds * 1e9) + MEAN_LATENESS_NANOS;
    }
}

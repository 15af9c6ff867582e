package org.wattline.junit;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The monitor beside this JVM and the timeline of its CPU time. A thread divides each cycle as
 * soon as the monitor has written it.
 */
final class EnergyMeter {
    private static final long POLL_MILLIS = 20;
    /** Beyond the length of a cycle, on a machine that is busy. */
    private static final long PATIENCE_SECONDS = 20;

    final CpuTimeline timeline;
    private final MonitorProcess monitor;
    private final MonitorRecording recording;
    private final long intervalMillis;
    private final Thread reader = new Thread(this::readUntilClosed, "wattline-energy");
    private BigDecimal processJoules = BigDecimal.ZERO;
    private long settledNanos = Long.MIN_VALUE;
    private long tickNanos = System.nanoTime();
    private int waiting;
    private boolean isClosed;
    private String problem = "";

    EnergyMeter(CpuTimeline timeline, MonitorProcess monitor, MonitorRecording recording, double intervalSeconds) {
        this.timeline = timeline;
        this.monitor = monitor;
        this.recording = recording;
        intervalMillis = Math.max(POLL_MILLIS, Math.round(intervalSeconds * 1000));
        reader.setDaemon(true);
        reader.start();
    }

    synchronized MonitorHeader header() {
        return recording.header();
    }

    synchronized BigDecimal processJoules() {
        return processJoules;
    }

    /** Why energy is no longer measured; empty while it is. */
    synchronized String problem() {
        return problem;
    }

    /** Waits for the cycle that contains a moment; says what is wrong if there is none. */
    synchronized String awaitCycle(long moment) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(intervalMillis)
                + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        waiting++;
        notifyAll();
        try {
            while (settledNanos < moment && problem.isEmpty()) {
                if (System.nanoTime() > until) {
                    return "the monitor wrote no cycle within " + PATIENCE_SECONDS + " s";
                }
                wait(intervalMillis);
            }
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
            return "the test was interrupted before its energy was known";
        } finally {
            waiting--;
        }
        return problem;
    }

    private synchronized void readUntilClosed() {
        while (!isClosed && problem.isEmpty()) {
            step();
            try {
                wait(waiting > 0 ? POLL_MILLIS : intervalMillis);
            } catch (InterruptedException hurry) {
                return;
            }
        }
    }

    /** Keeps segments short, and divides what is new. */
    private void step() {
        if (System.nanoTime() - tickNanos >= TimeUnit.MILLISECONDS.toNanos(intervalMillis)) {
            tickNanos = timeline.advance();
        }
        if (!monitor.isAlive()) {
            fail("`wattline monitor` ended during the tests: " + monitor.said());
            return;
        }
        readCycles();
    }

    private void readCycles() {
        try {
            List<MeterCycle> cycles = recording.newCycles();
            if (cycles.isEmpty()) {
                return;
            }
            tickNanos = timeline.advance();
            for (MeterCycle cycle : cycles) {
                timeline.settle(cycle);
                processJoules = processJoules.add(cycle.joules);
                settledNanos = cycle.endNanos;
            }
            notifyAll();
        } catch (IOException | RuntimeException unreadable) {
            fail("cannot read the recording: " + unreadable.getMessage());
        }
    }

    private void fail(String why) {
        problem = why;
        notifyAll();
    }

    /** Ends the monitor and divides its last cycle. */
    void close() {
        synchronized (this) {
            isClosed = true;
            notifyAll();
        }
        timeline.advance();
        monitor.stop();
        synchronized (this) {
            if (problem.isEmpty()) {
                readCycles();
            }
        }
    }
}

package wattline.monitor.probe;

import java.util.concurrent.locks.LockSupport;

/**
 * The clock of the probes: it goes while a window is open and stands while it is closed,
 * so that reading it is cheap most of the time. Durations by this clock are proportional
 * to real ones, as windows open at moments that have nothing to do with the program.
 */
public final class Clock {
    private static volatile Window window = new Window(0, System.nanoTime(), true);
    private static volatile Thread ticker;

    private Clock() {
    }

    private static final class Window {
        final long base;
        final long start;
        final boolean open;
        /** Here, so that probes go on and off with the clock: on a busy machine the ticker may
         * rest for a while between two steps of its own. */
        final boolean[] live;

        Window(long base, long start, boolean open) {
            this.base = base;
            this.start = start;
            this.open = open;
            live = open ? Live.IN_WINDOW : Live.BETWEEN;
        }
    }

    /** By method: whether its probe does something at this moment. */
    static boolean[] live() {
        return window.live;
    }

    /** Nanoseconds of all windows so far. */
    public static long now() {
        Window seen = window;
        if (!seen.open) {
            return seen.base;
        }
        long time = seen.base + (System.nanoTime() - seen.start);
        // a thread that was stopped in between may be far beyond the window's end
        Window now = window;
        return now == seen ? time : now.base;
    }

    /**
     * Opens windows of openMicros every openMicros + about closedMicros, after having found
     * out what a probe takes; always open for a closedMicros of 0, and for two zeros nothing
     * else is done.
     */
    public static synchronized void tick(long openMicros, long closedMicros) {
        Thread old = ticker;
        ticker = null;
        if (old != null) {
            LockSupport.unpark(old);
        }
        open();
        if (openMicros > 0) {
            Thread thread = new Thread(() -> run(openMicros, closedMicros), "wattline-clock");
            thread.setDaemon(true);
            ticker = thread;
            thread.start();
        }
    }

    private static void run(long openMicros, long closedMicros) {
        ThreadRecord.calibrate();
        long random = System.nanoTime() | 1;
        while (closedMicros > 0 && ticker == Thread.currentThread()) {
            long opened = System.nanoTime();
            LockSupport.parkNanos(openMicros * 1000);
            close();
            // on a busy machine a window is longer, and so is the time to the next one
            double longer = Math.max(1, (System.nanoTime() - opened) / (openMicros * 1e3));
            random ^= random << 13;
            random ^= random >>> 7;
            random ^= random << 17;
            // between half and one and a half of the mean
            long part = 500 + Math.floorMod(random, 1001L);
            LockSupport.parkNanos((long) (closedMicros * part * longer));
            open();
        }
    }

    private static synchronized void open() {
        Window now = window;
        if (!now.open) {
            ThreadRecord.checkAll();
            window = new Window(now.base, System.nanoTime(), true);
        }
    }

    private static synchronized void close() {
        window = new Window(now(), 0, false);
    }
}

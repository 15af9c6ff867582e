package wattline.monitor.service;

/**
 * The period of CPU time after which a thread has its next sample, where nobody says otherwise.
 *
 * Linux looks at timers of CPU time at ticks of its clock alone, 1 to 10 ms apart. A sample after
 * so much CPU time is late by up to a tick: it finds the method that runs next, and after a wait
 * that is never the first one. With a period that is shorter than a tick, each tick of a running
 * thread is a sample of the same weight, as independent of the thread's waits as the clock is, and
 * threads that end after a few milliseconds have samples, too. Where ticks are so short that these
 * would be too many, the period is longer, as the delay is shorter.
 */
final class TimerTicks {
    /** Shorter than any tick; Flight Recorder's queue of a thread grows for one of 1 to 9 ms. */
    static final String EVERY = "100 us";
    /** Ticks that are not shorter are all taken. */
    private static final long SPARSE_NANOS = 4_000_000;
    static final String SPARSE = "4 ms";
    /** Samples from which the mean between two ticks is known. */
    private static final int ENOUGH = 200;
    /** Below it, a mean of ticks is not that of sparse ones. */
    private static final double FINE = 0.75;

    private long count;
    private double nanos;
    private boolean isDecided;

    /** Takes a sample's CPU time; gives whether samples are to be sparser from now on. */
    boolean areTooMany(long periodNanos) {
        if (isDecided) {
            return false;
        }
        count++;
        nanos += periodNanos;
        isDecided = count >= ENOUGH;
        return isDecided && nanos / count < FINE * SPARSE_NANOS;
    }
}

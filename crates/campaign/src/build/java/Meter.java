package wattline.simulation;

/**
 * The clock of a board that is none: time passes when somebody sleeps, and by a microsecond when
 * somebody asks, so that who waits for a time comes there. A dry run is over as soon as its work
 * is done.
 */
public final class Meter {
    private static final long ASKING_NANOS = 1_000;
    /** The first moment of 2024, as a wall clock has it. */
    private static final long BOOT_MILLIS = 1_704_067_200_000L;

    private static long now;

    private Meter() {
    }

    private static synchronized long pass(long nanos) {
        now += Math.max(0, nanos);
        return now;
    }

    public static long nanoTime() {
        return pass(ASKING_NANOS);
    }

    public static long currentTimeMillis() {
        return BOOT_MILLIS + nanoTime() / 1_000_000;
    }

    public static void sleep(long millis) throws InterruptedException {
        sleep(millis, 0);
    }

    public static void sleep(long millis, int nanos) throws InterruptedException {
        if (millis < 0 || nanos < 0 || nanos > 999_999) {
            throw new IllegalArgumentException("timeout value is negative or out of range");
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        pass(millis * 1_000_000 + nanos);
    }

    public static void doze(long nanos) {
        pass(nanos);
    }

    public static void parkNanos(long nanos) {
        pass(nanos);
    }

    public static void parkNanos(Object blocker, long nanos) {
        pass(nanos);
    }
}

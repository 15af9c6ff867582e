package wattline.simulation;

/** A clock that stands still but for those who sleep, and begins where Robolectric's does. */
public final class Meter {
    private static long now = 100_000_000;

    private Meter() {
    }

    public static synchronized long nanoTime() {
        return now;
    }

    public static void sleep(long millis, int nanos) {
        doze(millis * 1_000_000 + nanos);
    }

    public static synchronized void doze(long nanos) {
        now += nanos;
    }
}

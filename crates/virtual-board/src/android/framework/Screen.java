package wattline.board;

/** The board's screen: 1280 by 720 pixels, one to a device-independent one, all an application's. */
public final class Screen {
    public static final int WIDTH = 1280;
    public static final int HEIGHT = 720;
    public static final int REFRESH_HZ = 60;

    private static final long NANOS = 1_000_000_000;

    private Screen() {
    }

    /** When the screen refreshes next after a time, both in nanoseconds since the board's boot. */
    public static long refreshAfter(long nanos) {
        long seconds = nanos / NANOS;
        long frame = (nanos % NANOS) * REFRESH_HZ / NANOS;
        long next = seconds * NANOS + (frame + 1) * NANOS / REFRESH_HZ;
        return next > nanos ? next : next + NANOS / REFRESH_HZ;
    }
}

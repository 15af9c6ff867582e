package wattline.monitor.probe;

import java.util.Arrays;

/**
 * Which methods' probes do something, and when: always, in windows of time alone, or never.
 * It can be changed while methods run, without weaving anything anew.
 */
public final class Live {
    /** More methods than this carry no probe. */
    public static final int LIMIT = (1 << 14) - 1;
    /** A number that no method has; its probe is never live. */
    static final int NOBODY = LIMIT;
    /** By method: those that are live in a window, and those that are between two. */
    static final boolean[] IN_WINDOW = new boolean[LIMIT + 1];
    static final boolean[] BETWEEN = new boolean[LIMIT + 1];
    /** Methods that are live in windows alone. */
    static final boolean[] IN_WINDOWS = new boolean[LIMIT + 1];

    private Live() {
    }

    /** A method whose calls are all counted. */
    public static synchronized void always(int method) {
        IN_WINDOW[method] = true;
        BETWEEN[method] = true;
    }

    /** One that is counted and timed in windows alone, from now on. */
    public static synchronized void inWindows(int method) {
        IN_WINDOWS[method] = true;
        BETWEEN[method] = false;
    }

    /** One that is left alone, from now on. */
    public static synchronized void never(int method) {
        IN_WINDOW[method] = false;
        BETWEEN[method] = false;
    }

    /** Forgets all of it. */
    public static synchronized void clear() {
        Arrays.fill(IN_WINDOW, false);
        Arrays.fill(BETWEEN, false);
        Arrays.fill(IN_WINDOWS, false);
        IN_WINDOWS[NOBODY] = true;
    }
}

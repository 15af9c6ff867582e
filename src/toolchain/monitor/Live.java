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
    /** By method. Constant, so that a probe that is not live is one load and one branch. */
    static final boolean[] NOW = new boolean[LIMIT + 1];
    /** Methods that are live in windows alone. */
    static final boolean[] IN_WINDOWS = new boolean[LIMIT + 1];

    private static int[] windowed = new int[64];
    private static int count;
    private static boolean isOpen = true;

    private Live() {
    }

    /** A method whose calls are all counted. */
    public static synchronized void always(int method) {
        NOW[method] = true;
    }

    /** One that is counted and timed in windows alone, from now on. */
    public static synchronized void inWindows(int method) {
        if (!IN_WINDOWS[method]) {
            if (count == windowed.length) {
                windowed = Arrays.copyOf(windowed, 2 * count);
            }
            windowed[count++] = method;
            IN_WINDOWS[method] = true;
            NOW[method] = isOpen;
        }
    }

    /** One that is left alone, from now on. */
    public static synchronized void never(int method) {
        for (int i = 0; i < count; i++) {
            if (windowed[i] == method) {
                windowed[i] = windowed[--count];
                break;
            }
        }
        NOW[method] = false;
    }

    /** Forgets all of it. */
    public static synchronized void clear() {
        Arrays.fill(NOW, false);
        Arrays.fill(IN_WINDOWS, false);
        IN_WINDOWS[NOBODY] = true;
        count = 0;
    }

    static synchronized void window(boolean open) {
        isOpen = open;
        for (int i = 0; i < count; i++) {
            NOW[windowed[i]] = open;
        }
    }
}

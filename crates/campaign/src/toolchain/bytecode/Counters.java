package wattline.bytecode.probe;

import java.util.concurrent.atomic.AtomicLongArray;

/** The counters of runs of instructions, which threads increase together without losing one. */
public final class Counters {
    private static final int BITS = 12;
    private static final AtomicLongArray[] CHUNKS = new AtomicLongArray[1 << 16];

    private Counters() {
    }

    /** Makes room for counters below this number; false where there is no room for so many. */
    public static synchronized boolean reserve(int end) {
        if (end < 0 || end > CHUNKS.length << BITS) {
            return false;
        }
        for (int chunk = 0; chunk << BITS < end; chunk++) {
            if (CHUNKS[chunk] == null) {
                CHUNKS[chunk] = new AtomicLongArray(1 << BITS);
            }
        }
        return true;
    }

    /** Counts an execution. */
    public static void hit(int counter) {
        CHUNKS[counter >>> BITS].getAndIncrement(counter & (1 << BITS) - 1);
    }

    /** How often it was executed. */
    public static long count(int counter) {
        return CHUNKS[counter >>> BITS].get(counter & (1 << BITS) - 1);
    }
}

package wattline.simulation;

import java.io.Flushable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.Buffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.util.Collection;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * What woven code calls: the counters, the sizes of arguments, the board's clock.
 *
 * The counters are one constant array, which the JIT turns into one increment at a
 * fixed address. They are copied to the mapped file before each message to the
 * board. Plain increments: exact for one thread, and threads that run the same
 * block at the same moment may lose counts.
 */
public final class Meter {
    /** The most counters an application can have. */
    static final int ROOM = 1 << 20;

    /** The counters, by id. */
    public static final long[] C = new long[ROOM];

    private static LongBuffer file;
    private static Object weaver;
    private static Clock clock;
    private static long bootMillis;

    private Meter() {
    }

    /** Maps the counter file, connects to the board and asks to be called at exit. */
    static void start(String folder, Properties settings, Object theWeaver) throws IOException {
        weaver = theWeaver;
        bootMillis = Long.parseLong(settings.getProperty("boot_epoch_ms", "0"));
        try (RandomAccessFile counters = new RandomAccessFile(folder + "/counters.bin", "rw")) {
            counters.setLength(8L * ROOM);
            file = counters.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 8L * ROOM)
                    .order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
        }
        clock = new Clock(Integer.parseInt(settings.getProperty("port")),
                Integer.parseInt(settings.getProperty("timeout_ms", "120000")),
                settings.getProperty("word"));
        Runtime.getRuntime().addShutdownHook(new Thread("wattline-exit") {
            @Override
            public void run() {
                sync();
                clock.exit();
            }
        });
    }

    /** Brings the map and the counters outside up to date, the map first. */
    private static synchronized void sync() {
        if (clock != null && clock.isOver()) {
            return; // what runs beside the end of the process is no work of the session
        }
        try {
            ((Flushable) weaver).flush();
        } catch (IOException e) {
            Clock.stop("the session's folder can't be written: " + e);
        }
        file.position(0);
        file.put(C, 0, ((IntSupplier) weaver).getAsInt());
    }

    private static long now() {
        sync();
        return clock.now();
    }

    /** Counts a block, where the inline form would make a method too large. */
    public static void hit(int slot) {
        C[slot]++;
    }

    /** Counts an amount. */
    public static void add(int amount, int slot) {
        if (amount > 0) {
            C[slot] += amount;
        }
    }

    /** Counts the distance between two indices. */
    public static void range(int from, int to, int slot) {
        add(to - from, slot);
    }

    /** Counts the bytes of a new array beyond those of an int array of one element. */
    public static void array(int length, int shift, int slot) {
        if (length > 0) {
            C[slot] += Math.max(0, ((16 + ((long) length << shift) + 7) & -8) - 24);
        }
    }

    /** Counts the arrays inside a new array of arrays, and their bytes in the next slot. */
    public static void arrays(Object array, int shift, int slot) {
        if (array instanceof Object[]) {
            Object[] elements = (Object[]) array;
            array(elements.length, 2, slot + 1);
            for (Object element : elements) {
                if (element != null) {
                    C[slot]++;
                    arrays(element, shift, slot);
                }
            }
        } else {
            array(java.lang.reflect.Array.getLength(array), shift, slot + 1);
        }
    }

    /** Counts how much a value holds: characters, elements, what a buffer has left. */
    public static void size(Object value, int slot) {
        if (value == null) {
            return;
        }
        if (value instanceof String) {
            add(((String) value).length(), slot);
        } else if (value.getClass().isArray()) {
            add(java.lang.reflect.Array.getLength(value), slot);
        } else if (value.getClass().getClassLoader() == null) {
            // a class of the JDK: asking it runs no counted code
            add(measure(value), slot);
        }
    }

    private static int measure(Object value) {
        if (value instanceof Buffer) {
            return ((Buffer) value).remaining();
        }
        if (value instanceof Collection) {
            return ((Collection<?>) value).size();
        }
        if (value instanceof Map) {
            return ((Map<?, ?>) value).size();
        }
        return value instanceof CharSequence ? ((CharSequence) value).length() : 0;
    }

    /** Before the application prints: what it prints then carries the right time. */
    public static void mark() {
        now();
    }

    /** Nanoseconds since the board's boot. */
    public static long nanoTime() {
        return now();
    }

    /** The board's wall clock. */
    public static long currentTimeMillis() {
        return bootMillis + now() / 1_000_000;
    }

    /** Sleeps on the board's clock. */
    public static void sleep(long millis) throws InterruptedException {
        sleep(millis, 0);
    }

    /** The same for the housekeeping of the probes. */
    public static void rest(long millis) throws InterruptedException {
        sync();
        clock.rest(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Sleeps on the board's clock, until somebody touches the window at the latest. */
    public static void doze(long nanos) {
        sync();
        clock.doze(nanos);
    }

    /** Sleeps on the board's clock. */
    public static void sleep(long millis, int nanos) throws InterruptedException {
        if (millis < 0 || nanos < 0 || nanos > 999_999) {
            throw new IllegalArgumentException("timeout value is negative or out of range");
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        sleepNanos(TimeUnit.MILLISECONDS.toNanos(millis) + nanos);
    }

    /** Sleeps on the board's clock. */
    public static void sleep(TimeUnit unit, long amount) throws InterruptedException {
        if (amount > 0) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            sleepNanos(unit.toNanos(amount));
        }
    }

    /** Parks on the board's clock; an unpark does not end it. */
    public static void parkNanos(long nanos) {
        if (nanos > 0 && !Thread.currentThread().isInterrupted()) {
            try {
                sleepNanos(nanos);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Parks on the board's clock; an unpark does not end it. */
    public static void parkNanos(Object blocker, long nanos) {
        parkNanos(nanos);
    }

    private static void sleepNanos(long nanos) throws InterruptedException {
        sync();
        clock.sleep(nanos);
    }
}

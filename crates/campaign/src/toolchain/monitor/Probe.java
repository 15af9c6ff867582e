package wattline.monitor.probe;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * What probes in the application call. It collects and computes nothing: each thread adds
 * to its own record, and the service hands the records out.
 */
public final class Probe {
    private static final ThreadLocal<ThreadRecord> RECORD = new ThreadLocal<ThreadRecord>() {
        @Override
        protected ThreadRecord initialValue() {
            Thread thread = Thread.currentThread();
            return isVirtual(thread) ? ThreadRecord.VIRTUAL : ThreadRecord.of(thread);
        }
    };

    /** Whether only bytes per method are wanted, from a sample of the socket's calls. */
    public static volatile ByteSampler byteSampler;

    /** What is to be done when the JVM ends. */
    public static volatile Runnable atEnd;

    private static final MethodHandle IS_VIRTUAL = isVirtual();

    private Probe() {
    }

    /** Finds the method that a socket's call belongs to, where no probe says so. */
    public interface ByteSampler {
        /** Books what the thread has read and written since the last time. */
        void book(ThreadRecord record);
    }

    /** The JVM begins to end. */
    public static void ends() {
        Runnable last = atEnd;
        if (last != null) {
            try {
                last.run();
            } catch (Throwable problem) {
                // the JVM ends as it would without the agent
            }
        }
    }

    /** Virtual threads are there from JDK 21 on. */
    private static MethodHandle isVirtual() {
        try {
            return MethodHandles.publicLookup().findVirtual(Thread.class, "isVirtual",
                    MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException older) {
            return null;
        }
    }

    private static boolean isVirtual(Thread thread) {
        try {
            return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(thread);
        } catch (Throwable never) {
            return false;
        }
    }

    /** The record of the current thread. */
    public static ThreadRecord record() {
        return RECORD.get();
    }

    /** A method begins: its frame, or 0 where it is not measured at this moment. */
    public static int begin(int method) {
        if (!Clock.live()[method]) {
            return 0;
        }
        ThreadRecord record = RECORD.get();
        return record.isVirtual() ? ThreadRecord.count(method) : record.enter(method);
    }

    /** A frame ends. */
    public static void end(int frame) {
        if (frame != 0) {
            RECORD.get().exit(frame);
        }
    }

    /** A call that waits begins. */
    public static void pause() {
        RECORD.get().pause();
    }

    /** It ends. */
    public static void resume() {
        RECORD.get().resume();
    }

    /** A socket's call that may wait begins. */
    public static void waiting() {
        RECORD.get().pause();
    }

    /** Bytes that a socket has read; negative ones are none. */
    public static void read(long bytes) {
        ThreadRecord record = RECORD.get();
        record.awake();
        if (bytes > 0) {
            record.bytes(bytes, 0);
        }
    }

    /** Bytes that a socket has written; negative ones are none. */
    public static void written(long bytes) {
        if (bytes > 0) {
            RECORD.get().bytes(0, bytes);
        }
    }
}

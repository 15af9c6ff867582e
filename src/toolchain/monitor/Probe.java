package wattline.monitor.probe;

/**
 * What probes in the application call. It collects and computes nothing: each thread adds
 * to its own record, and the service hands the records out.
 */
public final class Probe {
    private static final ThreadLocal<ThreadRecord> RECORD = new ThreadLocal<ThreadRecord>() {
        @Override
        protected ThreadRecord initialValue() {
            return ThreadRecord.of(Thread.currentThread());
        }
    };

    /** Whether only bytes per method are wanted, from a sample of the socket's calls. */
    public static volatile ByteSampler byteSampler;

    private Probe() {
    }

    /** Finds the method that a socket's call belongs to, where no probe says so. */
    public interface ByteSampler {
        /** Books what the thread has read and written since the last time. */
        void book(ThreadRecord record);
    }

    /** The record of the current thread. */
    public static ThreadRecord record() {
        return RECORD.get();
    }

    /** A method begins: its frame, or 0 where it is not measured at this moment. */
    public static int begin(int method) {
        return Clock.live()[method] ? RECORD.get().enter(method) : 0;
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

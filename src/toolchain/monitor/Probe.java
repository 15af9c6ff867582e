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

    /** A method begins. */
    public static ThreadRecord enter(int method) {
        ThreadRecord record = RECORD.get();
        record.enter(method);
        return record;
    }

    /** A method ends by an exception, where the record is not at hand. */
    public static void fail(int method) {
        RECORD.get().exit(method);
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

package android.os;

/** Runs a thread's messages. */
public final class Looper {
    private static final ThreadLocal<Looper> OWN = new ThreadLocal<>();
    private static volatile Looper main;

    private final MessageQueue queue;
    private final Thread thread = Thread.currentThread();

    private Looper(boolean quits) {
        queue = new MessageQueue(quits);
    }

    public static void prepare() {
        prepare(true);
    }

    private static void prepare(boolean quits) {
        if (OWN.get() != null) {
            throw new RuntimeException("Only one Looper may be created per thread");
        }
        OWN.set(new Looper(quits));
    }

    public static void prepareMainLooper() {
        prepare(false);
        main = OWN.get();
    }

    public static Looper getMainLooper() {
        return main;
    }

    public static Looper myLooper() {
        return OWN.get();
    }

    public static MessageQueue myQueue() {
        return OWN.get().queue;
    }

    public static void loop() {
        Looper looper = OWN.get();
        if (looper == null) {
            throw new RuntimeException("No Looper; Looper.prepare() wasn't called on this thread.");
        }
        try {
            for (Message next = looper.queue.next(); next != null; next = looper.queue.next()) {
                next.target.dispatchMessage(next);
                next.forget();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public MessageQueue getQueue() {
        return queue;
    }

    public Thread getThread() {
        return thread;
    }

    public boolean isCurrentThread() {
        return Thread.currentThread() == thread;
    }

    public void quit() {
        queue.quit(false);
    }

    public void quitSafely() {
        queue.quit(true);
    }
}

package android.os;

/** Sends messages and work to the thread of a looper. */
public class Handler {
    private final Looper looper;
    private final Callback callback;

    /** Handles messages without a class of its own. */
    public interface Callback {
        boolean handleMessage(Message message);
    }

    public Handler() {
        this(own(), null);
    }

    public Handler(Callback callback) {
        this(own(), callback);
    }

    public Handler(Looper looper) {
        this(looper, null);
    }

    public Handler(Looper looper, Callback callback) {
        this.looper = looper;
        this.callback = callback;
    }

    private static Looper own() {
        Looper looper = Looper.myLooper();
        if (looper == null) {
            throw new RuntimeException(
                    "Can't create handler inside thread that has not called Looper.prepare()");
        }
        return looper;
    }

    public final Looper getLooper() {
        return looper;
    }

    public void handleMessage(Message message) {
    }

    public void dispatchMessage(Message message) {
        if (message.callback != null) {
            message.callback.run();
        } else if (callback == null || !callback.handleMessage(message)) {
            handleMessage(message);
        }
    }

    public final Message obtainMessage() {
        return Message.obtain(this);
    }

    public final Message obtainMessage(int what) {
        return Message.obtain(this, what);
    }

    public final Message obtainMessage(int what, Object obj) {
        return Message.obtain(this, what, obj);
    }

    public final Message obtainMessage(int what, int arg1, int arg2) {
        return Message.obtain(this, what, arg1, arg2);
    }

    public final Message obtainMessage(int what, int arg1, int arg2, Object obj) {
        return Message.obtain(this, what, arg1, arg2, obj);
    }

    public final boolean post(Runnable work) {
        return sendMessageDelayed(Message.obtain(this, work), 0);
    }

    public final boolean postDelayed(Runnable work, long millis) {
        return sendMessageDelayed(Message.obtain(this, work), millis);
    }

    public final boolean postAtTime(Runnable work, long uptimeMillis) {
        return sendMessageAtTime(Message.obtain(this, work), uptimeMillis);
    }

    public final boolean sendMessage(Message message) {
        return sendMessageDelayed(message, 0);
    }

    public final boolean sendEmptyMessage(int what) {
        return sendEmptyMessageDelayed(what, 0);
    }

    public final boolean sendEmptyMessageDelayed(int what, long millis) {
        return sendMessageDelayed(Message.obtain(this, what), millis);
    }

    public final boolean sendMessageDelayed(Message message, long millis) {
        return sendMessageAtTime(message, SystemClock.uptimeMillis() + Math.max(0, millis));
    }

    public boolean sendMessageAtTime(Message message, long uptimeMillis) {
        message.target = this;
        return looper.getQueue().enqueue(message, uptimeMillis);
    }

    public final void removeCallbacks(Runnable work) {
        if (work != null) {
            looper.getQueue().remove(message -> message.target == this && message.callback == work);
        }
    }

    public final void removeMessages(int what) {
        looper.getQueue().remove(message -> isOwn(message, what));
    }

    public final void removeCallbacksAndMessages(Object obj) {
        looper.getQueue().remove(message -> message.target == this && (obj == null || message.obj == obj));
    }

    public final boolean hasMessages(int what) {
        return looper.getQueue().has(message -> isOwn(message, what));
    }

    /** Work that was posted is a message of kind 0, too. */
    private boolean isOwn(Message message, int what) {
        return message.target == this && message.what == what;
    }
}

package android.os;

/** A message to a handler, or a piece of work for its thread. */
public final class Message {
    public int what;
    public int arg1;
    public int arg2;
    public Object obj;

    /** When it is due, in milliseconds of uptime. */
    long when;
    Handler target;
    Runnable callback;
    /** Once it was sent: nobody may send it again. */
    boolean inUse;
    private Bundle data;

    public static Message obtain() {
        return new Message();
    }

    public static Message obtain(Handler target) {
        Message message = new Message();
        message.target = target;
        return message;
    }

    public static Message obtain(Handler target, int what) {
        Message message = obtain(target);
        message.what = what;
        return message;
    }

    public static Message obtain(Handler target, int what, Object obj) {
        Message message = obtain(target, what);
        message.obj = obj;
        return message;
    }

    public static Message obtain(Handler target, Runnable callback) {
        Message message = obtain(target);
        message.callback = callback;
        return message;
    }

    public static Message obtain(Handler target, int what, int arg1, int arg2) {
        return obtain(target, what, arg1, arg2, null);
    }

    public static Message obtain(Handler target, int what, int arg1, int arg2, Object obj) {
        Message message = obtain(target, what, obj);
        message.arg1 = arg1;
        message.arg2 = arg2;
        return message;
    }

    public Handler getTarget() {
        return target;
    }

    public Runnable getCallback() {
        return callback;
    }

    public long getWhen() {
        return when;
    }

    public Bundle getData() {
        data = data == null ? new Bundle() : data;
        return data;
    }

    public void setData(Bundle data) {
        this.data = data;
    }

    public void sendToTarget() {
        target.sendMessage(this);
    }

    public void recycle() {
        if (inUse) {
            throw new IllegalStateException("This message cannot be recycled because it is still in use.");
        }
        forget();
    }

    /** Who keeps it finds nothing in it, as it was in a pool; a pool would save nothing here. */
    void forget() {
        inUse = true;
        what = 0;
        arg1 = 0;
        arg2 = 0;
        obj = null;
        when = 0;
        target = null;
        callback = null;
        data = null;
    }
}

package android.view;

/** A key that goes down or up. */
public class KeyEvent extends InputEvent {
    public static final int ACTION_DOWN = 0;
    public static final int ACTION_UP = 1;
    public static final int KEYCODE_UNKNOWN = 0;
    public static final int KEYCODE_HOME = 3;
    public static final int KEYCODE_BACK = 4;
    public static final int KEYCODE_0 = 7;
    public static final int KEYCODE_9 = 16;
    public static final int KEYCODE_DPAD_UP = 19;
    public static final int KEYCODE_DPAD_DOWN = 20;
    public static final int KEYCODE_DPAD_LEFT = 21;
    public static final int KEYCODE_DPAD_RIGHT = 22;
    public static final int KEYCODE_DPAD_CENTER = 23;
    public static final int KEYCODE_VOLUME_UP = 24;
    public static final int KEYCODE_VOLUME_DOWN = 25;
    public static final int KEYCODE_A = 29;
    public static final int KEYCODE_Z = 54;
    public static final int KEYCODE_SPACE = 62;
    public static final int KEYCODE_ENTER = 66;
    public static final int KEYCODE_DEL = 67;
    public static final int KEYCODE_MENU = 82;

    private final long downTime;
    private final long eventTime;
    private final int action;
    private final int code;
    private final int repeat;

    /** Who takes a key that no listener took. */
    public interface Callback {
        boolean onKeyDown(int code, KeyEvent event);

        boolean onKeyUp(int code, KeyEvent event);
    }

    /** Of no time. */
    public KeyEvent(int action, int code) {
        this(0, 0, action, code, 0);
    }

    public KeyEvent(long downTime, long eventTime, int action, int code, int repeat) {
        this.downTime = downTime;
        this.eventTime = eventTime;
        this.action = action;
        this.code = code;
        this.repeat = repeat;
    }

    public final int getAction() {
        return action;
    }

    public final int getKeyCode() {
        return code;
    }

    public final int getRepeatCount() {
        return repeat;
    }

    public final long getDownTime() {
        return downTime;
    }

    @Override
    public final long getEventTime() {
        return eventTime;
    }

    /** Tells who is to take it. */
    public final boolean dispatch(Callback to) {
        return action == ACTION_DOWN ? to.onKeyDown(code, this) : action == ACTION_UP && to.onKeyUp(code, this);
    }
}

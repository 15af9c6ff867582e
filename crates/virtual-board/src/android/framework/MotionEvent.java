package android.view;

/** A touch of one finger, in the coordinates of the view that is told of it. */
public final class MotionEvent extends InputEvent {
    public static final int ACTION_MASK = 255;
    public static final int ACTION_DOWN = 0;
    public static final int ACTION_UP = 1;
    public static final int ACTION_MOVE = 2;
    public static final int ACTION_CANCEL = 3;
    public static final int ACTION_OUTSIDE = 4;
    public static final int ACTION_POINTER_DOWN = 5;
    public static final int ACTION_POINTER_UP = 6;
    public static final int ACTION_POINTER_INDEX_MASK = 65280;
    public static final int ACTION_POINTER_INDEX_SHIFT = 8;
    public static final int INVALID_POINTER_ID = -1;

    private final long downTime;
    private final long eventTime;
    private final float rawX;
    private final float rawY;
    private final float pressure;
    private final float size;
    private int action;
    private float x;
    private float y;
    /** A pointer's, of no device in particular. */
    private int source = 2;

    private MotionEvent(long downTime, long eventTime, int action, float rawX, float rawY, float pressure, float size) {
        this.downTime = downTime;
        this.eventTime = eventTime;
        this.action = action;
        this.rawX = rawX;
        this.rawY = rawY;
        this.pressure = pressure;
        this.size = size;
        x = rawX;
        y = rawY;
    }

    public static MotionEvent obtain(long downTime, long eventTime, int action, float x, float y, int metaState) {
        return new MotionEvent(downTime, eventTime, action, x, y, 1, 1);
    }

    public static MotionEvent obtain(long downTime, long eventTime, int action, float x, float y, float pressure,
            float size, int metaState, float xPrecision, float yPrecision, int deviceId, int edgeFlags) {
        return new MotionEvent(downTime, eventTime, action, x, y, pressure, size);
    }

    public static MotionEvent obtain(MotionEvent other) {
        MotionEvent copy = new MotionEvent(other.downTime, other.eventTime, other.action, other.rawX, other.rawY,
                other.pressure, other.size);
        copy.setLocation(other.x, other.y);
        copy.source = other.source;
        return copy;
    }

    /** A pool of events would save nothing here. */
    public void recycle() {
    }

    public int getAction() {
        return action;
    }

    public void setAction(int action) {
        this.action = action;
    }

    public int getActionMasked() {
        return action & ACTION_MASK;
    }

    public int getActionIndex() {
        return (action & ACTION_POINTER_INDEX_MASK) >> ACTION_POINTER_INDEX_SHIFT;
    }

    public long getDownTime() {
        return downTime;
    }

    @Override
    public long getEventTime() {
        return eventTime;
    }

    public float getX() {
        return x;
    }

    public float getY() {
        return y;
    }

    public float getX(int pointer) {
        check(pointer);
        return x;
    }

    public float getY(int pointer) {
        check(pointer);
        return y;
    }

    public float getRawX() {
        return rawX;
    }

    public float getRawY() {
        return rawY;
    }

    public float getPressure() {
        return pressure;
    }

    public float getSize() {
        return size;
    }

    public int getSource() {
        return source;
    }

    public void setSource(int source) {
        this.source = source;
    }

    public int getPointerCount() {
        return 1;
    }

    public int getPointerId(int pointer) {
        check(pointer);
        return 0;
    }

    public int findPointerIndex(int id) {
        return id == 0 ? 0 : -1;
    }

    /** What came between this event and the one before it; the board tells all one by one. */
    public int getHistorySize() {
        return 0;
    }

    public float getHistoricalX(int at) {
        throw new IllegalArgumentException("historyPos is invalid");
    }

    public float getHistoricalY(int at) {
        throw new IllegalArgumentException("historyPos is invalid");
    }

    public void setLocation(float x, float y) {
        this.x = x;
        this.y = y;
    }

    public void offsetLocation(float byX, float byY) {
        x += byX;
        y += byY;
    }

    private static void check(int pointer) {
        if (pointer != 0) {
            throw new IllegalArgumentException("pointerIndex out of range");
        }
    }
}

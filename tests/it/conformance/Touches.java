package conformance;

import android.os.Handler;
import android.os.SystemClock;
import android.view.InputDevice;
import android.view.KeyEvent;
import android.view.MotionEvent;
import android.view.View;

/** Touches and keys: what they are, and who hears of them. */
final class Touches {
    private final Transcript activity;
    private final Transcript.Pad pad;
    private final Handler handler = new Handler();
    private final Runnable then;

    Touches(Transcript activity, Transcript.Pad pad, Runnable then) {
        this.activity = activity;
        this.pad = pad;
        this.then = then;
    }

    void begin() {
        motions();
        copies();
        keys();
        sizes();
        flags();
        plain();
        unwanted();
        listened();
        hidden();
        pressed();
        handler.postDelayed(this::clicked, 100);
    }

    private static void motions() {
        MotionEvent event = MotionEvent.obtain(10, 20, MotionEvent.ACTION_DOWN, 30.5f, 40, 0);
        Say.value("event", event.getDownTime() + " " + event.getEventTime() + " " + event.getAction() + " "
                + event.getX() + " " + event.getY());
        Say.value("pressure", event.getPressure() + " " + event.getSize() + " " + event.getSource());
        Say.value("raw", event.getRawX() + " " + event.getRawY());
        Say.value("pointers", event.getPointerCount() + " " + event.getPointerId(0) + " " + event.getX(0) + " "
                + event.getY(0) + " " + event.findPointerIndex(0) + " " + event.findPointerIndex(1));
        Say.value("history", event.getHistorySize());
        event.offsetLocation(1, -2);
        Say.value("offset", event.getX() + " " + event.getY() + " " + event.getRawX() + " " + event.getRawY());
        event.setLocation(100, 200);
        Say.value("set", event.getX() + " " + event.getY() + " " + event.getRawX() + " " + event.getRawY());
        event.setAction(MotionEvent.ACTION_POINTER_DOWN | 1 << MotionEvent.ACTION_POINTER_INDEX_SHIFT);
        Say.value("action", event.getAction() + " " + event.getActionMasked() + " " + event.getActionIndex());
        event.setSource(InputDevice.SOURCE_TOUCHSCREEN);
        Say.value("source", event.getSource());
        event.recycle();
    }

    private static void copies() {
        MotionEvent event = MotionEvent.obtain(10, 20, MotionEvent.ACTION_MOVE, 3, 4, 0.5f, 0.25f, 0, 1, 1, 0, 0);
        event.offsetLocation(10, 10);
        event.setSource(InputDevice.SOURCE_TOUCHSCREEN);
        MotionEvent copy = MotionEvent.obtain(event);
        event.setLocation(0, 0);
        event.setAction(MotionEvent.ACTION_CANCEL);
        Say.value("copy", copy.getX() + " " + copy.getY() + " " + copy.getRawX() + " " + copy.getAction() + " "
                + copy.getPressure() + " " + copy.getSize() + " " + copy.getSource() + " " + copy.getEventTime());
    }

    private static void keys() {
        KeyEvent plain = new KeyEvent(KeyEvent.ACTION_DOWN, KeyEvent.KEYCODE_A);
        Say.value("key", plain.getAction() + " " + plain.getKeyCode() + " " + plain.getRepeatCount() + " "
                + plain.getDownTime() + " " + plain.getEventTime());
        KeyEvent all = new KeyEvent(10, 20, KeyEvent.ACTION_UP, KeyEvent.KEYCODE_Z, 2);
        Say.value("key", all.getAction() + " " + all.getKeyCode() + " " + all.getRepeatCount() + " " + all.getDownTime()
                + " " + all.getEventTime());
    }

    private void sizes() {
        int[] place = new int[2];
        pad.getLocationOnScreen(place);
        Say.value("place", place[0] + " " + place[1] + " " + pad.getLeft() + " " + pad.getTop() + " " + pad.getRight()
                + " " + pad.getBottom() + " " + pad.getX() + " " + pad.getY());
        android.graphics.Rect rect = new android.graphics.Rect();
        pad.getDrawingRect(rect);
        Say.value("drawn", rect + " " + pad.getMeasuredWidth() + " " + pad.getMeasuredHeight());
        Say.value("shown", pad.isShown() + " " + pad.isAttachedToWindow() + " " + (pad.getHandler() != null));
        Say.value("padding", pad.getPaddingLeft() + pad.getPaddingTop() + pad.getPaddingRight()
                + pad.getPaddingBottom());
        Say.value("context", pad.getContext() == activity);
        Say.value("focused activity", activity.hasWindowFocus());
    }

    private void flags() {
        View view = new View(activity);
        Say.value("view", view.getId() + " " + view.getTag() + " " + view.getVisibility() + " " + view.isEnabled() + " "
                + view.isClickable() + " " + view.isPressed() + " " + view.isFocused() + " " + view.getKeepScreenOn());
        Say.value("focusable", view.isFocusable() + " " + view.isFocusableInTouchMode() + " " + view.requestFocus());
        view.setFocusableInTouchMode(true);
        Say.value("focusable", view.isFocusable() + " " + view.isFocusableInTouchMode());
        view.setFocusable(false);
        Say.value("not focusable", view.isFocusable() + " " + view.isFocusableInTouchMode());
        view.setTag("tag");
        view.setVisibility(View.GONE);
        Say.value("gone", view.getTag() + " " + view.getVisibility() + " " + view.isShown());
        view.setMinimumWidth(50);
        view.measure(View.MeasureSpec.makeMeasureSpec(0, View.MeasureSpec.UNSPECIFIED),
                View.MeasureSpec.makeMeasureSpec(70, View.MeasureSpec.AT_MOST));
        Say.value("measured", view.getMeasuredWidth() + " " + view.getMeasuredHeight() + " " + view.getWidth());
        view.layout(1, 2, 31, 42);
        Say.value("laid out", view.getWidth() + " " + view.getHeight() + " " + view.getRight());
        Say.value("found", view.findViewById(View.NO_ID) == null);
        Say.value("click without a listener", view.performClick());
        view.setOnClickListener(clicked -> Say.line("clicked " + (clicked == view)));
        Say.value("click", view.performClick() + " " + view.isClickable());
        view.setPressed(true);
        Say.value("pressed", view.isPressed());
    }

    private boolean touch(int action, float x, float y) {
        MotionEvent event = MotionEvent.obtain(100, SystemClock.uptimeMillis(), action, x, y, 0);
        boolean taken = activity.dispatchTouchEvent(event);
        event.recycle();
        Say.line("touch " + action + " at " + x + ", " + y + " taken " + taken);
        return taken;
    }

    private boolean key(int action, int code) {
        boolean taken = activity.dispatchKeyEvent(new KeyEvent(action, code));
        Say.line("key " + action + " " + code + " taken " + taken);
        return taken;
    }

    /** A view that takes touches hears of all of a finger's way, wherever that goes. */
    private void plain() {
        touch(MotionEvent.ACTION_DOWN, 10, 20);
        touch(MotionEvent.ACTION_MOVE, 11.5f, 21.5f);
        touch(MotionEvent.ACTION_MOVE, 12, 500);
        touch(MotionEvent.ACTION_MOVE, -20, 30);
        touch(MotionEvent.ACTION_UP, 13, 22);
        touch(MotionEvent.ACTION_DOWN, 10, 20);
        touch(MotionEvent.ACTION_CANCEL, 10, 20);
    }

    /** A view that does not take the first hears no more of it. */
    private void unwanted() {
        touch(MotionEvent.ACTION_DOWN, 10, 450);
        touch(MotionEvent.ACTION_MOVE, 10, 20);
        touch(MotionEvent.ACTION_UP, 10, 460);
        touch(MotionEvent.ACTION_MOVE, 10, 20);
        touch(MotionEvent.ACTION_DOWN, -10, 20);
        touch(MotionEvent.ACTION_UP, -10, 20);
        touch(MotionEvent.ACTION_DOWN, 1280, 20);
        touch(MotionEvent.ACTION_UP, 1279, 20);
    }

    private void listened() {
        pad.setOnTouchListener((view, event) -> {
            Say.line("listener touched " + Transcript.Pad.told(event) + " " + (view == pad));
            return event.getX() < 50;
        });
        touch(MotionEvent.ACTION_DOWN, 10, 20);
        touch(MotionEvent.ACTION_MOVE, 60, 20);
        touch(MotionEvent.ACTION_UP, 10, 20);
        pad.setEnabled(false);
        touch(MotionEvent.ACTION_DOWN, 10, 20);
        touch(MotionEvent.ACTION_UP, 10, 20);
        pad.setEnabled(true);
        pad.setOnTouchListener(null);
    }

    private void hidden() {
        pad.setVisibility(View.INVISIBLE);
        pad.setVisibility(View.INVISIBLE);
        Say.value("hidden", pad.isShown());
        touch(MotionEvent.ACTION_DOWN, 10, 20);
        touch(MotionEvent.ACTION_UP, 10, 20);
        pad.setVisibility(View.VISIBLE);
        touch(MotionEvent.ACTION_DOWN, 10, 20);
        touch(MotionEvent.ACTION_UP, 10, 20);
    }

    /** Keys come to the activity while no view has the focus. */
    private void pressed() {
        Say.value("focused", pad.isFocused() + " " + pad.hasFocus());
        key(KeyEvent.ACTION_DOWN, KeyEvent.KEYCODE_A);
        key(KeyEvent.ACTION_UP, KeyEvent.KEYCODE_A);
        pad.setFocusableInTouchMode(true);
        Say.value("request", pad.requestFocus() + " " + pad.isFocused() + " " + pad.hasFocus());
        key(KeyEvent.ACTION_DOWN, KeyEvent.KEYCODE_A);
        key(KeyEvent.ACTION_UP, KeyEvent.KEYCODE_A);
        key(KeyEvent.ACTION_DOWN, KeyEvent.KEYCODE_ENTER);
        key(KeyEvent.ACTION_UP, KeyEvent.KEYCODE_ENTER);
        pad.setOnKeyListener((view, code, event) -> {
            Say.line("listener key " + event.getAction() + " " + code);
            return code == KeyEvent.KEYCODE_SPACE;
        });
        key(KeyEvent.ACTION_DOWN, KeyEvent.KEYCODE_SPACE);
        key(KeyEvent.ACTION_UP, KeyEvent.KEYCODE_SPACE);
        key(KeyEvent.ACTION_DOWN, KeyEvent.KEYCODE_Z);
        key(KeyEvent.ACTION_UP, KeyEvent.KEYCODE_Z);
        pad.setOnKeyListener(null);
        back();
    }

    /** A key that leads back does so where it goes up, if it went down there before. */
    private void back() {
        key(KeyEvent.ACTION_UP, KeyEvent.KEYCODE_BACK);
        key(KeyEvent.ACTION_DOWN, KeyEvent.KEYCODE_BACK);
        key(KeyEvent.ACTION_UP, KeyEvent.KEYCODE_BACK);
        key(KeyEvent.ACTION_UP, KeyEvent.KEYCODE_BACK);
        key(KeyEvent.ACTION_DOWN, KeyEvent.KEYCODE_MENU);
        key(KeyEvent.ACTION_UP, KeyEvent.KEYCODE_MENU);
    }

    /** Clicks come by a message, after the touch that made them. */
    private void clicked() {
        pad.plain = true;
        pad.setOnClickListener(view -> Say.line("click " + pad.isPressed()));
        Say.value("clickable", pad.isClickable());
        key(KeyEvent.ACTION_DOWN, KeyEvent.KEYCODE_ENTER);
        key(KeyEvent.ACTION_UP, KeyEvent.KEYCODE_ENTER);
        touch(MotionEvent.ACTION_DOWN, 10, 20);
        touch(MotionEvent.ACTION_UP, 10, 20);
        handler.post(() -> Say.line("after the click " + pad.isPressed()));
        handler.postDelayed(this::leftAndCancelled, 100);
    }

    private void leftAndCancelled() {
        touch(MotionEvent.ACTION_DOWN, 10, 20);
        touch(MotionEvent.ACTION_MOVE, -200, 20);
        touch(MotionEvent.ACTION_MOVE, 10, 20);
        touch(MotionEvent.ACTION_UP, 10, 20);
        touch(MotionEvent.ACTION_DOWN, 10, 20);
        touch(MotionEvent.ACTION_CANCEL, 10, 20);
        Say.value("focused", pad.isFocused());
        pad.setEnabled(false);
        Say.value("focused and disabled", pad.isFocused() + " " + pad.requestFocus());
        touch(MotionEvent.ACTION_DOWN, 10, 20);
        touch(MotionEvent.ACTION_UP, 10, 20);
        key(KeyEvent.ACTION_DOWN, KeyEvent.KEYCODE_ENTER);
        key(KeyEvent.ACTION_UP, KeyEvent.KEYCODE_ENTER);
        pad.setEnabled(true);
        Say.value("enabled", pad.requestFocus() + " " + pad.isFocused());
        pad.setVisibility(View.GONE);
        Say.value("gone", pad.isFocused() + " " + pad.requestFocus());
        pad.setVisibility(View.VISIBLE);
        handler.postDelayed(this::again, 100);
    }

    /** What the end of a touch left is there until the next message. */
    private void again() {
        touch(MotionEvent.ACTION_DOWN, 10, 20);
        touch(MotionEvent.ACTION_UP, 10, 20);
        pad.setOnClickListener(null);
        pad.setClickable(false);
        touch(MotionEvent.ACTION_DOWN, 10, 20);
        handler.postDelayed(then, 100);
    }
}

package wattline.board;

import android.app.Activity;
import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import android.view.InputDevice;
import android.view.KeyEvent;
import android.view.MotionEvent;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What the board's {@code input} does to the screen, and its {@code am start} to a process that
 * runs, on the main thread: lines on this process's standard input, of which an application has
 * none.
 */
final class Touches {
    /** Between two moves of a swipe. */
    private static final long MOVE_MILLIS = 16;

    private final InputStream lines = System.in;
    private final Handler handler = new Handler(Looper.getMainLooper());
    private final Supplier<Activity> shown;
    private final Consumer<String[]> starter;
    private long downTime;

    /** Of whoever has the screen then; the words of what is to be started are for the starter. */
    Touches(Supplier<Activity> shown, Consumer<String[]> starter) {
        this.shown = shown;
        this.starter = starter;
        System.setIn(new ByteArrayInputStream(new byte[0]));
    }

    /** Does what has come since the last look. */
    void take() {
        try {
            while (lines.available() > 0) {
                touch(line().split(" "));
            }
        } catch (IOException e) {
            throw new IllegalStateException("the board's input can't be read", e);
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = lines.read(); next >= 0 && next != '\n'; next = lines.read()) {
            line.append((char) next);
        }
        return line.toString();
    }

    private void touch(String[] words) {
        switch (words[0]) {
            case "tap":
                finger(MotionEvent.ACTION_DOWN, number(words[1]), number(words[2]));
                finger(MotionEvent.ACTION_UP, number(words[1]), number(words[2]));
                break;
            case "swipe":
                swipe(words);
                break;
            case "start":
                starter.accept(words);
                break;
            case "keyevent":
                for (int i = 1; i < words.length; i++) {
                    press(words[i]);
                }
                break;
            default:
                System.err.println("the virtual board's screen has no keyboard for: " + String.join(" ", words));
        }
    }

    private static float number(String word) {
        return Float.parseFloat(word);
    }

    private void swipe(String[] words) {
        float x = number(words[1]);
        float y = number(words[2]);
        float dx = number(words[3]) - x;
        float dy = number(words[4]) - y;
        long millis = words.length > 5 ? Long.parseLong(words[5]) : 300;
        long began = SystemClock.uptimeMillis();
        finger(MotionEvent.ACTION_DOWN, x, y);
        for (long past = MOVE_MILLIS; past < millis; past += MOVE_MILLIS) {
            float share = (float) past / millis;
            handler.postAtTime(() -> finger(MotionEvent.ACTION_MOVE, x + share * dx, y + share * dy), began + past);
        }
        handler.postAtTime(() -> {
            finger(MotionEvent.ACTION_MOVE, x + dx, y + dy);
            finger(MotionEvent.ACTION_UP, x + dx, y + dy);
        }, began + millis);
    }

    private void finger(int action, float x, float y) {
        Activity activity = shown.get();
        if (activity == null) {
            return;
        }
        long now = SystemClock.uptimeMillis();
        if (action == MotionEvent.ACTION_DOWN) {
            downTime = now;
        }
        MotionEvent event = MotionEvent.obtain(downTime, now, action, x, y, 0);
        event.setSource(InputDevice.SOURCE_TOUCHSCREEN);
        activity.dispatchTouchEvent(event);
        event.recycle();
    }

    private void press(String key) {
        Activity activity = shown.get();
        if (activity == null) {
            return;
        }
        int code = code(key);
        long down = SystemClock.uptimeMillis();
        activity.dispatchKeyEvent(new KeyEvent(down, down, KeyEvent.ACTION_DOWN, code, 0));
        activity.dispatchKeyEvent(new KeyEvent(down, SystemClock.uptimeMillis(), KeyEvent.ACTION_UP, code, 0));
    }

    /** By its number or by its name. */
    private static int code(String key) {
        try {
            return Character.isDigit(key.charAt(0)) ? Integer.parseInt(key) : KeyEvent.class.getField(key).getInt(null);
        } catch (ReflectiveOperationException | NumberFormatException e) {
            return KeyEvent.KEYCODE_UNKNOWN;
        }
    }
}

package org.wattline.runner;

import android.app.Activity;
import android.os.Handler;
import android.os.SystemClock;
import android.view.InputDevice;
import android.view.KeyEvent;
import android.view.MotionEvent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Touches and keys of an activity at their times, on the main thread: of lines "@SECONDS COMMAND"
 * between semicolons, with the commands of Android's input. They go to the activity itself, which
 * hands them to its window; the system's dispatcher, whose work is not the application's, is not
 * asked.
 */
final class Gestures implements Runnable {
    /** Between two moves of a swipe. */
    private static final long MOVE_MILLIS = 16;

    private final List<Event> events = new ArrayList<Event>();
    private Handler handler;
    private Activity target;
    private long began;
    private int next;
    private long downTime;

    /** One of a finger, or a key that goes down and up. */
    private static final class Event implements Comparable<Event> {
        final long atMillis;
        /** As MotionEvent has it; of a key none. */
        final int action;
        final float x;
        final float y;
        final int key;

        private Event(long atMillis, int action, float x, float y, int key) {
            this.atMillis = atMillis;
            this.action = action;
            this.x = x;
            this.y = y;
            this.key = key;
        }

        static Event touch(long atMillis, int action, float x, float y) {
            return new Event(atMillis, action, x, y, 0);
        }

        static Event key(long atMillis, int key) {
            return new Event(atMillis, -1, 0, 0, key);
        }

        @Override
        public int compareTo(Event other) {
            return atMillis < other.atMillis ? -1 : atMillis > other.atMillis ? 1 : 0;
        }
    }

    /** Of these lines; none are none. */
    Gestures(String lines) {
        if (lines != null) {
            for (String line : lines.split(";")) {
                read(line);
            }
        }
        Collections.sort(events);
    }

    private void read(String line) {
        String[] words = line.split(" ");
        long at = Math.round(Double.parseDouble(words[0].substring(1)) * 1000);
        if (words[1].equals("tap")) {
            float x = Float.parseFloat(words[2]);
            float y = Float.parseFloat(words[3]);
            events.add(Event.touch(at, MotionEvent.ACTION_DOWN, x, y));
            events.add(Event.touch(at, MotionEvent.ACTION_UP, x, y));
        } else if (words[1].equals("swipe")) {
            swipe(at, words);
        } else if (words[1].equals("keyevent")) {
            events.add(Event.key(at, Integer.parseInt(words[2])));
        } else {
            throw new IllegalArgumentException("unknown input: " + line);
        }
    }

    private void swipe(long at, String[] words) {
        float[] place = new float[4];
        for (int i = 0; i < place.length; i++) {
            place[i] = Float.parseFloat(words[2 + i]);
        }
        long millis = Long.parseLong(words[6]);
        events.add(Event.touch(at, MotionEvent.ACTION_DOWN, place[0], place[1]));
        for (long past = MOVE_MILLIS; past < millis; past += MOVE_MILLIS) {
            float share = (float) past / millis;
            float x = place[0] + share * (place[2] - place[0]);
            float y = place[1] + share * (place[3] - place[1]);
            events.add(Event.touch(at + past, MotionEvent.ACTION_MOVE, x, y));
        }
        events.add(Event.touch(at + millis, MotionEvent.ACTION_MOVE, place[2], place[3]));
        events.add(Event.touch(at + millis, MotionEvent.ACTION_UP, place[2], place[3]));
    }

    void begin(Handler handler, long began) {
        this.handler = handler;
        this.began = began;
        await();
    }

    void end() {
        handler.removeCallbacks(this);
    }

    /** Who has the screen; absent while none has. */
    void aim(Activity target) {
        this.target = target;
    }

    private void await() {
        if (next < events.size()) {
            handler.postAtTime(this, began + events.get(next).atMillis);
        }
    }

    @Override
    public void run() {
        Event event = events.get(next++);
        if (target == null) {
            System.err.println("wattline: no activity has the screen for the input at "
                    + event.atMillis + " ms");
        } else if (event.action < 0) {
            press(event.key);
        } else {
            touch(event);
        }
        await();
    }

    private void touch(Event event) {
        long now = SystemClock.uptimeMillis();
        if (event.action == MotionEvent.ACTION_DOWN) {
            downTime = now;
        }
        MotionEvent motion =
                MotionEvent.obtain(downTime, now, event.action, event.x, event.y, 0);
        motion.setSource(InputDevice.SOURCE_TOUCHSCREEN);
        target.dispatchTouchEvent(motion);
        motion.recycle();
    }

    private void press(int key) {
        Activity pressed = target;
        pressed.dispatchKeyEvent(new KeyEvent(KeyEvent.ACTION_DOWN, key));
        pressed.dispatchKeyEvent(new KeyEvent(KeyEvent.ACTION_UP, key));
    }
}

package org.wattline.touch;

import android.app.Activity;
import android.content.SharedPreferences;
import android.os.Bundle;
import android.os.Handler;
import android.os.SystemClock;
import android.util.DisplayMetrics;
import android.util.Log;
import android.view.KeyEvent;
import android.view.MotionEvent;
import android.view.View;
import android.view.WindowManager;
import android.widget.Toast;

/** A pond of bubbles: a touch pops them or blows a new one, a stroke stirs the water. */
public class MainActivity extends Activity {
    private static final String TAG = "Pond";
    private static final String BEST = "best";
    private static final long TICK_MILLIS = 20;
    private static final int DEFAULT_BUBBLES = 36;

    private final Handler handler = new Handler();
    private Pond pond;
    private PondView view;
    private long nextTick;
    private boolean running;

    /** Moves the water on, at times that do not drift however long the work takes. */
    private final Runnable tick = new Runnable() {
        @Override
        public void run() {
            if (!running) {
                return;
            }
            pond.step();
            view.invalidate();
            nextTick += TICK_MILLIS;
            handler.postAtTime(this, nextTick);
        }
    };

    @Override
    protected void onCreate(Bundle savedInstanceState) {
        super.onCreate(savedInstanceState);
        getWindow().addFlags(WindowManager.LayoutParams.FLAG_KEEP_SCREEN_ON);
        DisplayMetrics metrics = new DisplayMetrics();
        getWindowManager().getDefaultDisplay().getMetrics(metrics);
        pond = new Pond(metrics.widthPixels, metrics.heightPixels, number("seed", 7));
        pond.fill(number("bubbles", DEFAULT_BUBBLES));
        view = new PondView(this, pond);
        view.setFocusable(true);
        view.setFocusableInTouchMode(true);
        view.setOnTouchListener(new View.OnTouchListener() {
            @Override
            public boolean onTouch(View touched, MotionEvent event) {
                if (event.getAction() == MotionEvent.ACTION_DOWN && !running) {
                    resume();
                }
                return false;
            }
        });
        setContentView(view);
        setTitle("Pond");
    }

    /** An extra of the intent; a launcher gives none. */
    private int number(String name, int otherwise) {
        String text = getIntent().getStringExtra(name);
        if (text == null) {
            return otherwise;
        }
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            Log.w(TAG, name + " is no number: " + text);
            return otherwise;
        }
    }

    @Override
    protected void onResume() {
        super.onResume();
        resume();
    }

    @Override
    protected void onPause() {
        running = false;
        handler.removeCallbacks(tick);
        SharedPreferences kept = getPreferences(MODE_PRIVATE);
        if (pond.popped() > kept.getInt(BEST, 0)) {
            kept.edit().putInt(BEST, pond.popped()).commit();
        }
        Log.i(TAG, pond.popped() + " bubbles popped");
        super.onPause();
    }

    private void resume() {
        if (!running) {
            running = true;
            nextTick = SystemClock.uptimeMillis() + TICK_MILLIS;
            handler.postAtTime(tick, nextTick);
        }
    }

    @Override
    public boolean onKeyDown(int keyCode, KeyEvent event) {
        switch (keyCode) {
            case KeyEvent.KEYCODE_SPACE:
                if (running) {
                    running = false;
                    handler.removeCallbacks(tick);
                } else {
                    resume();
                }
                return true;
            case KeyEvent.KEYCODE_DEL:
                pond.clear();
                view.invalidate();
                Toast.makeText(this, "The pond is empty", Toast.LENGTH_SHORT).show();
                return true;
            case KeyEvent.KEYCODE_ENTER:
                pond.fill(DEFAULT_BUBBLES);
                return true;
            default:
                return super.onKeyDown(keyCode, event);
        }
    }
}

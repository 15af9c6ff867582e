package game;

import android.app.Activity;
import android.content.SharedPreferences;
import android.os.Bundle;
import android.os.Handler;
import android.os.SystemClock;
import android.util.Log;

/** Ten ticks, a hundred milliseconds apart, and a count of how often it was started. */
public class Screen extends Activity {
    private final Handler handler = new Handler();
    private final long began = SystemClock.uptimeMillis();
    private int ticks;

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        SharedPreferences kept = getPreferences(MODE_PRIVATE);
        int starts = kept.getInt("starts", 0) + 1;
        kept.edit().putInt("starts", starts).commit();
        Log.i("screen", "start " + starts + " of " + getIntent().getStringExtra("who"));
        tick();
    }

    @Override
    protected void onDestroy() {
        Log.i("screen", "gone");
        super.onDestroy();
    }

    private void tick() {
        long now = SystemClock.uptimeMillis() - began;
        if (ticks++ == 10) {
            Log.w("screen", "ten ticks in " + now + " ms");
            finish();
            return;
        }
        if (getIntent().hasExtra("crash")) {
            throw new IllegalStateException("on purpose");
        }
        handler.postDelayed(
                new Runnable() {
                    @Override
                    public void run() {
                        tick();
                    }
                },
                100);
    }
}

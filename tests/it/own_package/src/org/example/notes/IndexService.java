package org.example.notes;

import android.app.Service;
import android.content.Intent;
import android.os.Handler;
import android.os.IBinder;
import android.util.Log;

/** Works beside the activities. */
public class IndexService extends Service implements Runnable {
    private final Handler handler = new Handler();
    private long hash;
    private int words;

    @Override
    public int onStartCommand(Intent intent, int flags, int start) {
        words = intent.getIntExtra("words", 0);
        Log.i("notes", "index " + words);
        handler.postDelayed(this, 100);
        return START_NOT_STICKY;
    }

    @Override
    public void run() {
        for (int i = 0; i < 1000 * words; i++) {
            hash = hash * 31 + i;
        }
        handler.postDelayed(this, 100);
    }

    @Override
    public void onDestroy() {
        handler.removeCallbacks(this);
    }

    @Override
    public IBinder onBind(Intent intent) {
        return null;
    }
}

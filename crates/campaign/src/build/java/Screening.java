package org.wattline.runner;

import android.app.Activity;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * An activity from before its creation to its last pause: the begin marker, touches and keys at
 * their times, the end marker, when its time is over or it has finished by itself, and what the
 * probes counted until then. All of it happens on the main thread, as the activity does, so that
 * a session needs no second thread that watches a clock.
 */
final class Screening implements Runnable, Thread.UncaughtExceptionHandler {
    private final Handler handler = new Handler(Looper.getMainLooper());
    private final CountDownLatch over = new CountDownLatch(1);
    private final String type;
    private final String beginMark;
    private final String endMark;
    private final long lengthMillis;
    private final Bundle extras;
    private final Gestures gestures;
    private final MethodSampler sampler;
    private Runner runner;
    private Probes probes;
    /** The activity that was asked for. */
    private Activity asked;
    /** The one that has the screen; absent while none has. */
    private Activity resumed;
    private Map<String, String> counts;
    private Exception failure;

    Screening(Bundle facts, Bundle extras, MethodSampler sampler) {
        type = facts.getString("wattline.activity");
        beginMark = facts.getString("wattline.begin");
        endMark = facts.getString("wattline.end");
        lengthMillis = Long.parseLong(facts.getString("wattline.millis"));
        this.extras = extras;
        this.sampler = sampler;
        gestures = new Gestures(extras.getString("wattline.input"));
    }

    /** Starts the activity and waits for its end; what the probes counted. */
    Map<String, String> show(Runner runner, Probes probes) throws Exception {
        this.runner = runner;
        this.probes = probes;
        Thread.setDefaultUncaughtExceptionHandler(this);
        Context context = runner.getTargetContext();
        Intent intent = new Intent(Intent.ACTION_MAIN);
        intent.setClassName(context, type);
        intent.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        for (String key : extras.keySet()) {
            if (!key.startsWith("wattline.")) {
                intent.putExtra(key, String.valueOf(extras.get(key)));
            }
        }
        // Not startActivitySync: that waits until the main thread rests, which a game's never does.
        context.startActivity(intent);
        over.await();
        if (failure != null) {
            throw failure;
        }
        return counts;
    }

    void begin(Activity activity) {
        if (asked == null && activity.getClass().getName().equals(type)) {
            asked = activity;
            System.out.println(beginMark);
            sampler.begin();
            long began = SystemClock.uptimeMillis();
            gestures.begin(handler, began);
            handler.postAtTime(this, began + lengthMillis);
        }
    }

    void resumed(Activity activity) {
        resumed = activity;
        gestures.aim(activity);
    }

    void paused(Activity activity) {
        if (resumed == activity) {
            resumed = null;
            gestures.aim(null);
        }
        if (activity == asked && activity.isFinishing()) {
            end();
        }
    }

    /** One that finishes while it is created is never paused. */
    void destroyed(Activity activity) {
        if (activity == asked && activity.isFinishing()) {
            end();
        }
    }

    /** Its time is over. */
    @Override
    public void run() {
        asked.finish();
    }

    private void end() {
        if (over.getCount() == 0) {
            return;
        }
        System.out.println(endMark);
        sampler.end();
        handler.removeCallbacks(this);
        gestures.end();
        try {
            counts = probes.end();
        } catch (Exception e) {
            failure = e;
        }
        over.countDown();
    }

    @Override
    public void uncaughtException(Thread thread, Throwable why) {
        runner.crash(why);
    }
}

package org.wattline.runner;

import android.app.Activity;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/**
 * An activity from before its creation to its last pause: the begin marker, touches and keys at
 * their times, the end marker, when its time is over or it has finished by itself, and what the
 * probes counted until then. All of it happens on the main thread, as the activity does, so that
 * a session needs no second thread that watches a clock.
 *
 * <p>A package of the user's own build (wattline.own) has several activities: the session begins
 * with the first, and ends when its time is over or none has been there for a while. If nothing is
 * to be started, it begins at once, for somebody who starts what he likes.
 */
final class Screening implements Runnable, Thread.UncaughtExceptionHandler {
    /** Between one activity and the next that it has started, or after being asked to finish. */
    private static final long GRACE_MILLIS = 2000;

    private final Handler handler = new Handler(Looper.getMainLooper());
    private final CountDownLatch over = new CountDownLatch(1);
    private final Runnable endNow =
            new Runnable() {
                @Override
                public void run() {
                    end();
                }
            };
    private final String type;
    private final boolean isOwn;
    private final String beginMark;
    private final String endMark;
    private final long lengthMillis;
    private final Bundle extras;
    private final Gestures gestures;
    private final MethodSampler sampler;
    /** Those that were created and not yet destroyed. */
    private final Set<Activity> live = new LinkedHashSet<Activity>();
    private Runner runner;
    private Probes probes;
    private boolean begun;
    private boolean timeIsOver;
    /** The activity that was asked for. */
    private Activity asked;
    /** The one that has the screen; absent while none has. */
    private Activity resumed;
    private Map<String, String> counts;
    private Exception failure;

    Screening(Bundle facts, Bundle extras, MethodSampler sampler) {
        type = facts.getString("wattline.activity");
        isOwn = facts.containsKey("wattline.own");
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
        if (type == null) {
            handler.post(
                    new Runnable() {
                        @Override
                        public void run() {
                            begin();
                        }
                    });
        } else {
            // Not startActivitySync: that waits until the main thread rests, which a game's never
            // does.
            runner.getTargetContext().startActivity(intent(runner.getTargetContext()));
        }
        over.await();
        if (failure != null) {
            throw failure;
        }
        return counts;
    }

    private Intent intent(Context context) {
        Intent intent = new Intent(Intent.ACTION_MAIN);
        intent.setClassName(context, type);
        intent.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        for (String key : extras.keySet()) {
            if (!key.startsWith("wattline.")) {
                intent.putExtra(key, String.valueOf(extras.get(key)));
            }
        }
        return intent;
    }

    void creating(Activity activity) {
        live.add(activity);
        if (!timeIsOver) {
            handler.removeCallbacks(endNow);
        }
        boolean isAsked = isOwn || activity.getClass().getName().equals(type);
        if (asked == null && isAsked) {
            asked = activity;
            begin();
        }
    }

    private void begin() {
        if (begun) {
            return;
        }
        begun = true;
        if (isOwn && !beginCounts()) {
            return;
        }
        System.out.println(beginMark);
        sampler.begin();
        long now = SystemClock.uptimeMillis();
        gestures.begin(handler, now);
        handler.postAtTime(this, now + lengthMillis);
    }

    private boolean beginCounts() {
        try {
            probes.begin();
            return true;
        } catch (Exception e) {
            failure = e;
            over.countDown();
            return false;
        }
    }

    void resumed(Activity activity) {
        resumed = activity;
        gestures.aim(activity);
    }

    void paused(Activity activity) {
        boolean hadScreen = resumed == activity;
        if (hadScreen) {
            resumed = null;
            gestures.aim(null);
        }
        if (hadScreen && timeIsOver) {
            end();
        }
        left(activity);
    }

    /** One that finishes while it is created is never paused. */
    void destroyed(Activity activity) {
        live.remove(activity);
        left(activity);
    }

    private void left(Activity activity) {
        if (!activity.isFinishing() || over.getCount() == 0) {
            return;
        }
        if (!isOwn && activity == asked) {
            end();
        }
        if (isOwn && type != null && !timeIsOver && isAlone(activity)) {
            handler.removeCallbacks(endNow);
            handler.postDelayed(endNow, GRACE_MILLIS);
        }
    }

    private boolean isAlone(Activity leaving) {
        for (Activity activity : live) {
            if (activity != leaving && !activity.isFinishing()) {
                return false;
            }
        }
        return true;
    }

    /** Its time is over. */
    @Override
    public void run() {
        timeIsOver = true;
        boolean hasScreen = resumed != null;
        for (Activity activity : new ArrayList<Activity>(live)) {
            activity.finish();
        }
        if (isOwn) {
            // One may keep the screen, or have left it to another application.
            handler.removeCallbacks(endNow);
            handler.postDelayed(endNow, hasScreen ? GRACE_MILLIS : 0);
        }
    }

    private void end() {
        if (over.getCount() == 0) {
            return;
        }
        System.out.println(endMark);
        sampler.end();
        handler.removeCallbacks(this);
        handler.removeCallbacks(endNow);
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

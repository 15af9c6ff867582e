package android.app;

import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import android.view.KeyEvent;
import android.view.MotionEvent;
import java.lang.reflect.InvocationTargetException;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import wattline.board.Board;

/** What a package is started with by {@code am instrument}. */
public class Instrumentation {
    public static final String REPORT_KEY_IDENTIFIER = "id";
    public static final String REPORT_KEY_STREAMRESULT = "stream";

    private Context context;
    private Context target;
    private Function<Intent, Activity> launcher;
    /** The activity that has the screen. */
    private volatile Activity resumed;

    /** Hidden: gives it its contexts, and what starts an activity on the main thread. */
    public final void attach(Context context, Context target, Function<Intent, Activity> launcher) {
        this.context = context;
        this.launcher = launcher;
        this.target = target;
    }

    /** Makes the application, before anything else of it. */
    public Application newApplication(ClassLoader loader, String type, Context context)
            throws InstantiationException, IllegalAccessException, ClassNotFoundException {
        Object made;
        try {
            made = Class.forName(type, true, loader).getDeclaredConstructor().newInstance();
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof RuntimeException
                    ? (RuntimeException) e.getCause() : new IllegalStateException(e.getCause());
        } catch (NoSuchMethodException e) {
            throw new InstantiationException(type);
        }
        Application application = (Application) made;
        application.attach(context);
        return application;
    }

    /** Hidden: the activity that has the screen; none while none has. */
    public final Activity getResumed() {
        return resumed;
    }

    public void onCreate(Bundle arguments) {
    }

    /** Calls {@link #onStart} on a thread of its own. */
    public void start() {
        new Thread(this::onStart, "Instr: " + getClass().getName()).start();
    }

    public void onStart() {
    }

    public void onDestroy() {
    }

    public Context getContext() {
        return context;
    }

    public Context getTargetContext() {
        return target;
    }

    public ComponentName getComponentName() {
        return new ComponentName(context, getClass());
    }

    /** Runs work on the main thread and waits for its end. */
    public void runOnMainSync(Runnable work) {
        if (Looper.myLooper() == Looper.getMainLooper()) {
            throw new RuntimeException("This method can not be called from the main application thread");
        }
        CountDownLatch done = new CountDownLatch(1);
        new Handler(Looper.getMainLooper()).post(() -> {
            work.run();
            done.countDown();
        });
        try {
            done.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public void waitForIdleSync() {
        runOnMainSync(() -> { });
    }

    // Activities: an instrumentation's own methods may come before and after these.

    public void callActivityOnCreate(Activity activity, Bundle state) {
        activity.onCreate(state);
    }

    public void callActivityOnStart(Activity activity) {
        activity.onStart();
    }

    public void callActivityOnRestart(Activity activity) {
        activity.onRestart();
    }

    public void callActivityOnResume(Activity activity) {
        resumed = activity;
        activity.onResume();
    }

    public void callActivityOnPause(Activity activity) {
        activity.onPause();
        resumed = null;
    }

    public void callActivityOnStop(Activity activity) {
        activity.onStop();
    }

    public void callActivityOnDestroy(Activity activity) {
        activity.onDestroy();
    }

    /** Starts an activity, and waits until the main thread has nothing left to do. */
    public Activity startActivitySync(Intent intent) {
        Activity[] started = new Activity[1];
        runOnMainSync(() -> started[0] = launcher.apply(intent));
        waitForIdleSync();
        return started[0];
    }

    public void sendPointerSync(MotionEvent event) {
        runOnMainSync(() -> {
            if (resumed != null) {
                resumed.dispatchTouchEvent(event);
            }
        });
    }

    /** An event of no time is one of now. */
    public void sendKeySync(KeyEvent event) {
        long now = SystemClock.uptimeMillis();
        long time = event.getEventTime() == 0 ? now : event.getEventTime();
        long down = event.getDownTime() == 0 ? time : event.getDownTime();
        KeyEvent timed = new KeyEvent(down, time, event.getAction(), event.getKeyCode(), event.getRepeatCount());
        runOnMainSync(() -> {
            if (resumed != null) {
                resumed.dispatchKeyEvent(timed);
            }
        });
    }

    public void sendKeyDownUpSync(int code) {
        sendKeySync(new KeyEvent(KeyEvent.ACTION_DOWN, code));
        sendKeySync(new KeyEvent(KeyEvent.ACTION_UP, code));
    }

    public void sendStatus(int code, Bundle status) {
        report("status", code, status);
    }

    /** Ends the process; a code of zero or more stands for a failure. */
    public void finish(int code, Bundle results) {
        onDestroy();
        report("result", code, results);
        System.exit(code == Activity.RESULT_OK ? 0 : 1);
    }

    private static void report(String kind, int code, Bundle values) {
        TreeMap<String, Object> sorted = new TreeMap<>();
        if (values != null) {
            values.keySet().forEach(key -> sorted.put(key, values.get(key)));
        }
        String[] fields = new String[2 + 2 * sorted.size()];
        fields[0] = kind;
        fields[1] = String.valueOf(code);
        int at = 2;
        for (String key : sorted.keySet()) {
            fields[at++] = key;
            fields[at++] = String.valueOf(sorted.get(key));
        }
        Board.report(fields);
    }
}

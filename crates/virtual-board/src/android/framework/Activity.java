package android.app;

import android.content.ComponentName;
import android.content.Context;
import android.content.ContextWrapper;
import android.content.Intent;
import android.content.SharedPreferences;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;

/** What {@code am start} starts: its life, without a window. */
public class Activity extends ContextWrapper {
    public static final int RESULT_OK = -1;
    public static final int RESULT_CANCELED = 0;
    public static final int RESULT_FIRST_USER = 1;

    private Application application;
    private Intent intent;
    private boolean finishing;
    /** Whether the main thread is past the calls of {@link #perform}. */
    private boolean performed;

    public Activity() {
        super(null);
    }

    /** Hidden: gives it what it was started with. */
    public final void attach(Application application, Intent intent) {
        attachBaseContext(application);
        this.application = application;
        this.intent = intent;
    }

    /** Hidden: brings it to the front. */
    public final void perform() {
        onCreate(null);
        if (finishing) {
            onDestroy();
            return;
        }
        onStart();
        onResume();
        if (finishing) {
            leave();
        }
        performed = true;
    }

    private void leave() {
        onPause();
        onStop();
        onDestroy();
    }

    protected void onCreate(Bundle state) {
    }

    protected void onStart() {
    }

    protected void onResume() {
    }

    protected void onPause() {
    }

    protected void onStop() {
    }

    protected void onDestroy() {
    }

    /** Its end; the process stays, as it does on Android. */
    public void finish() {
        if (!finishing && performed) {
            new Handler(Looper.getMainLooper()).post(this::leave);
        }
        finishing = true;
    }

    public boolean isFinishing() {
        return finishing;
    }

    public Intent getIntent() {
        return intent;
    }

    public void setIntent(Intent intent) {
        this.intent = intent;
    }

    public final Application getApplication() {
        return application;
    }

    @Override
    public Context getApplicationContext() {
        return application;
    }

    public ComponentName getComponentName() {
        return new ComponentName(this, getClass());
    }

    public String getLocalClassName() {
        String name = getClass().getName();
        String start = getPackageName() + ".";
        return name.startsWith(start) ? name.substring(start.length()) : name;
    }

    public SharedPreferences getPreferences(int mode) {
        return getSharedPreferences(getLocalClassName(), mode);
    }

    /** At once on the main thread, else by a message to it. */
    public final void runOnUiThread(Runnable work) {
        if (Looper.myLooper() == Looper.getMainLooper()) {
            work.run();
        } else {
            new Handler(Looper.getMainLooper()).post(work);
        }
    }
}

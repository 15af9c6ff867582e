package android.app;

import android.content.ComponentName;
import android.content.Context;
import android.content.ContextWrapper;
import android.content.Intent;
import android.content.SharedPreferences;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.view.KeyEvent;
import android.view.LayoutInflater;
import android.view.MotionEvent;
import android.view.View;
import android.view.ViewRoot;
import android.view.Window;
import android.view.WindowManager;

/** What {@code am start} starts: its life, and its window with its views. */
public class Activity extends ContextWrapper implements KeyEvent.Callback {
    public static final int RESULT_OK = -1;
    public static final int RESULT_CANCELED = 0;
    public static final int RESULT_FIRST_USER = 1;

    private final ViewRoot window = new ViewRoot();
    private Application application;
    private Instrumentation instrumentation;
    private Intent intent;
    private Host host;
    /** Who waits for its result, and by which number; none and -1 if nobody does. */
    private Activity caller;
    private int requestCode = -1;
    private int resultCode = RESULT_CANCELED;
    private Intent resultData;
    private CharSequence title = "";
    private int orientation = -1;
    private boolean finishing;
    /** Whether the main thread is past the calls of {@link #perform}. */
    private boolean performed;
    private boolean focused;
    private boolean stopped;
    private boolean destroyed;
    /** Whether the key that leads back went down, and nobody but the activity took that. */
    private boolean backIsDown;

    public Activity() {
        super(null);
    }

    /** Hidden: who has the activities of the process. */
    public interface Host {
        /** Starts one that an activity asks for; a number of zero or more wants a result. */
        void start(Intent intent, Activity caller, int requestCode);

        /** Takes one off that has finished. */
        void leave(Activity activity);
    }

    /** Hidden: gives it what it was started with. */
    public final void attach(Application application, Instrumentation instrumentation, Intent intent, Host host) {
        attachBaseContext(application);
        this.application = application;
        this.instrumentation = instrumentation;
        this.intent = intent;
        this.host = host;
    }

    /** Hidden: says who waits for its result. */
    public final void calledBy(Activity caller, int requestCode) {
        this.caller = caller;
        this.requestCode = requestCode;
    }

    /** Hidden: brings it to the front; whether it stays there. */
    public final boolean perform() {
        instrumentation.callActivityOnCreate(this, null);
        if (finishing) {
            destroy();
            return false;
        }
        instrumentation.callActivityOnStart(this);
        instrumentation.callActivityOnResume(this);
        window.show(() -> new Handler(Looper.getMainLooper()).post(() -> focus(true)));
        performed = true;
        if (finishing) {
            host.leave(this);
        }
        return !destroyed;
    }

    /** Hidden: another one comes to the front, or nothing. */
    public final void pause() {
        instrumentation.callActivityOnPause(this);
        focus(false);
    }

    /** Hidden: nothing of it is seen any more. */
    public final void stop() {
        if (!stopped) {
            stopped = true;
            window.hide();
            instrumentation.callActivityOnStop(this);
        }
    }

    /** Hidden: the one before it has left, maybe with a result that it waits for. */
    public final void comeBack(Activity before) {
        if (stopped) {
            stopped = false;
            instrumentation.callActivityOnRestart(this);
            instrumentation.callActivityOnStart(this);
        }
        if (before.caller == this && before.requestCode >= 0) {
            onActivityResult(before.requestCode, before.resultCode, before.resultData);
        }
        instrumentation.callActivityOnResume(this);
        window.showAgain();
        new Handler(Looper.getMainLooper()).post(() -> focus(true));
    }

    /** Hidden: its end. */
    public final void destroy() {
        if (!destroyed) {
            destroyed = true;
            instrumentation.callActivityOnDestroy(this);
            window.close();
        }
    }

    private void focus(boolean has) {
        if (has == focused || has && (finishing || stopped)) {
            return;
        }
        focused = has;
        onWindowFocusChanged(has);
        window.dispatchWindowFocus(has);
    }

    protected void onCreate(Bundle state) {
    }

    protected void onStart() {
    }

    protected void onRestart() {
    }

    protected void onSaveInstanceState(Bundle state) {
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
            new Handler(Looper.getMainLooper()).post(() -> host.leave(this));
        }
        finishing = true;
    }

    public boolean isDestroyed() {
        return destroyed;
    }

    @Override
    public void startActivity(Intent intent) {
        host.start(intent, this, -1);
    }

    public void startActivityForResult(Intent intent, int requestCode) {
        host.start(intent, this, requestCode);
    }

    public final void setResult(int resultCode) {
        setResult(resultCode, null);
    }

    public final void setResult(int resultCode, Intent data) {
        this.resultCode = resultCode;
        resultData = data;
    }

    protected void onActivityResult(int requestCode, int resultCode, Intent data) {
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

    // The window

    public Window getWindow() {
        return window;
    }

    public WindowManager getWindowManager() {
        return ViewRoot::display;
    }

    public final boolean requestWindowFeature(int feature) {
        return window.requestFeature(feature);
    }

    public void setContentView(View view) {
        window.setContent(view);
    }

    /** With the views of a layout. */
    public void setContentView(int layout) {
        setContentView(getLayoutInflater().inflate(layout, null));
    }

    public LayoutInflater getLayoutInflater() {
        return LayoutInflater.from(this);
    }

    public <T extends View> T findViewById(int id) {
        return window.getContent() == null ? null : window.getContent().findViewById(id);
    }

    public void onWindowFocusChanged(boolean has) {
    }

    public boolean hasWindowFocus() {
        return focused;
    }

    public CharSequence getTitle() {
        return title;
    }

    public void setTitle(CharSequence title) {
        this.title = title;
    }

    /** What it asks for; the board's screen can't be turned. */
    public void setRequestedOrientation(int orientation) {
        this.orientation = orientation;
    }

    public int getRequestedOrientation() {
        return orientation;
    }

    // Input

    public void onUserInteraction() {
    }

    public boolean dispatchTouchEvent(MotionEvent event) {
        if (event.getAction() == MotionEvent.ACTION_DOWN) {
            onUserInteraction();
        }
        return window.dispatchTouchEvent(event) || onTouchEvent(event);
    }

    public boolean onTouchEvent(MotionEvent event) {
        return false;
    }

    public boolean dispatchKeyEvent(KeyEvent event) {
        onUserInteraction();
        return window.dispatchKeyEvent(event) || event.dispatch(this);
    }

    @Override
    public boolean onKeyDown(int code, KeyEvent event) {
        if (code != KeyEvent.KEYCODE_BACK) {
            return false;
        }
        backIsDown = true;
        return true;
    }

    @Override
    public boolean onKeyUp(int code, KeyEvent event) {
        if (code != KeyEvent.KEYCODE_BACK || !backIsDown) {
            return false;
        }
        backIsDown = false;
        onBackPressed();
        return true;
    }

    public void onBackPressed() {
        finish();
    }
}

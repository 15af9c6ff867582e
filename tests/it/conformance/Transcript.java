package conformance;

import android.app.Activity;
import android.content.Context;
import android.content.Intent;
import android.graphics.Canvas;
import android.graphics.Point;
import android.os.Bundle;
import android.os.Handler;
import android.util.DisplayMetrics;
import android.view.KeyEvent;
import android.view.MotionEvent;
import android.view.View;
import android.view.Window;
import android.view.WindowManager;
import android.widget.Toast;
import java.io.IOException;

/** An activity that does what Android documents, and says what it sees. */
public class Transcript extends Activity {
    static final String EXTRA = "who";
    private static final int ID = 7;
    private Pad pad;
    private boolean takes;
    private boolean begun;

    @Override
    protected void onCreate(Bundle state) {
        Say.value("feature", requestWindowFeature(Window.FEATURE_NO_TITLE));
        super.onCreate(state);
        Say.line("create " + state + " " + getIntent().getStringExtra(EXTRA) + " " + isFinishing());
        try {
            Values.all(this);
            Groups.all(this);
            Numbers.all();
            Drawing.all();
            Constants.all();
            Stores.all(this);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        own();
        screen();
        content();
    }

    private void own() {
        Say.value("component", getComponentName());
        Say.value("local name", getLocalClassName());
        Say.value("package", getPackageName());
        Say.value("application", getApplication() == getApplicationContext());
        Say.value("application's", getApplication().getApplicationContext() == getApplication());
        Say.value("preferences", getPreferences(Context.MODE_PRIVATE)
                == getSharedPreferences("Transcript", Context.MODE_PRIVATE));
        Say.value("title", getTitle().length() >= 0);
        setTitle("title");
        Say.value("title", getTitle());
        Say.value("orientation", getRequestedOrientation());
        Say.value("focus", hasWindowFocus());
        Intent intent = getIntent();
        setIntent(new Intent("another"));
        Say.value("intent", getIntent().getAction());
        setIntent(intent);
        runOnUiThread(() -> Say.line("at once"));
        Toast toast = Toast.makeText(this, "bread", Toast.LENGTH_LONG);
        toast.setDuration(Toast.LENGTH_SHORT);
        Say.value("toast", toast.getDuration());
        toast.show();
        toast.cancel();
    }

    private void screen() {
        Point size = new Point();
        getWindowManager().getDefaultDisplay().getSize(size);
        DisplayMetrics metrics = getResources().getDisplayMetrics();
        Say.value("screen", size + ", " + metrics.widthPixels + " x " + metrics.heightPixels);
        Say.value("density", metrics.density + " " + metrics.densityDpi + " " + metrics.scaledDensity);
        Say.value("id", getWindowManager().getDefaultDisplay().getDisplayId());
        Say.value("rate", getWindowManager().getDefaultDisplay().getRefreshRate());
        Say.value("service", getSystemService(Context.WINDOW_SERVICE) instanceof WindowManager);
        int on = WindowManager.LayoutParams.FLAG_KEEP_SCREEN_ON;
        getWindow().addFlags(on);
        Say.value("kept on", (getWindow().getAttributes().flags & on) != 0);
        getWindow().clearFlags(on);
        Say.value("not kept on", (getWindow().getAttributes().flags & on) != 0);
        getWindow().setFlags(on, on | WindowManager.LayoutParams.FLAG_SECURE);
        Say.value("kept on", (getWindow().getAttributes().flags & on) != 0);
    }

    private void content() {
        pad = new Pad(this);
        pad.setId(ID);
        Say.value("not there", findViewById(ID));
        Say.value("apart", pad.getHandler() + " " + pad.isAttachedToWindow() + " " + pad.isShown() + " "
                + pad.getWidth());
        setContentView(pad);
        Say.value("found", findViewById(ID) == pad);
        Say.value("none", findViewById(ID + 1));
        Say.value("posted", pad.post(() -> Say.line("view is " + pad.getWidth() + " x " + pad.getHeight())));
        Runnable never = () -> Say.line("removed from the view");
        pad.post(never);
        pad.removeCallbacks(never);
        new Handler().post(() -> Say.line("posted by onCreate"));
    }

    @Override
    protected void onStart() {
        super.onStart();
        Say.line("start");
    }

    @Override
    protected void onResume() {
        super.onResume();
        Say.line("resume, view " + pad.getWidth() + " wide, attached " + pad.isAttachedToWindow());
    }

    @Override
    public void onWindowFocusChanged(boolean has) {
        super.onWindowFocusChanged(has);
        Say.line("focus " + has + " " + hasWindowFocus() + ", view " + pad.getWidth() + " wide");
        if (has && !begun) {
            begun = true;
            new Handler().postDelayed(() -> new Messages(this::touches).begin(), 1000);
        }
    }

    private void touches() {
        takes = true;
        new Touches(this, pad, this::end).begin();
    }

    private void end() {
        Say.line("end " + isFinishing());
        finish();
        Say.value("finishing", isFinishing());
        finish();
    }

    @Override
    protected void onPause() {
        super.onPause();
        Say.line("pause " + isFinishing());
    }

    @Override
    protected void onStop() {
        super.onStop();
        Say.line("stop " + isFinishing());
    }

    @Override
    protected void onDestroy() {
        super.onDestroy();
        Say.line("destroy " + isFinishing() + ", attached " + pad.isAttachedToWindow());
    }

    // What no view takes

    @Override
    public void onUserInteraction() {
        super.onUserInteraction();
        Say.line("interaction");
    }

    @Override
    public boolean onTouchEvent(MotionEvent event) {
        Say.line("activity touched " + Pad.told(event));
        return super.onTouchEvent(event) || takes && event.getY() > Pad.UNWANTED;
    }

    @Override
    public boolean onKeyDown(int code, KeyEvent event) {
        boolean taken = super.onKeyDown(code, event);
        Say.line("activity key down " + code + " " + event.getRepeatCount() + " " + taken);
        return taken;
    }

    @Override
    public boolean onKeyUp(int code, KeyEvent event) {
        boolean taken = super.onKeyUp(code, event);
        Say.line("activity key up " + code + " " + taken);
        return taken;
    }

    @Override
    public void onBackPressed() {
        Say.line("back");
    }

    /** A view that says what it is told. */
    static final class Pad extends View {
        /** Touches below this line are left to the activity. */
        static final float UNWANTED = 400;
        boolean plain;

        Pad(Context context) {
            super(context);
        }

        static String told(MotionEvent event) {
            return event.getActionMasked() + " at " + event.getX() + ", " + event.getY();
        }

        @Override
        protected void onAttachedToWindow() {
            super.onAttachedToWindow();
            Say.line("attached, " + getWidth() + " wide, handler " + (getHandler() != null));
        }

        @Override
        protected void onDetachedFromWindow() {
            super.onDetachedFromWindow();
            Say.line("detached");
        }

        @Override
        protected void onVisibilityChanged(View changed, int visibility) {
            super.onVisibilityChanged(changed, visibility);
            Say.line("visibility " + visibility + " " + (changed == this));
        }

        @Override
        protected void onSizeChanged(int width, int height, int oldWidth, int oldHeight) {
            super.onSizeChanged(width, height, oldWidth, oldHeight);
            Say.line("size " + width + " x " + height + " from " + oldWidth + " x " + oldHeight);
        }

        @Override
        protected void onLayout(boolean changed, int left, int top, int right, int bottom) {
            super.onLayout(changed, left, top, right, bottom);
            if (changed) {
                Say.line("layout " + left + " " + top + " " + right + " " + bottom);
            }
        }

        @Override
        protected void onDraw(Canvas canvas) {
            super.onDraw(canvas);
        }

        @Override
        public void onWindowFocusChanged(boolean has) {
            super.onWindowFocusChanged(has);
            Say.line("view focus " + has);
        }

        @Override
        public boolean onTouchEvent(MotionEvent event) {
            boolean taken = super.onTouchEvent(event);
            Say.line("view touched " + told(event) + " " + taken + " " + isPressed());
            return plain ? taken : event.getY() < UNWANTED;
        }

        @Override
        public boolean onKeyDown(int code, KeyEvent event) {
            boolean taken = super.onKeyDown(code, event);
            Say.line("view key down " + code + " " + taken + " " + isPressed());
            return taken || code == KeyEvent.KEYCODE_A;
        }

        @Override
        public boolean onKeyUp(int code, KeyEvent event) {
            boolean taken = super.onKeyUp(code, event);
            Say.line("view key up " + code + " " + taken + " " + isPressed());
            return taken;
        }
    }
}

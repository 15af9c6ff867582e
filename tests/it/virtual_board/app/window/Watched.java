package window;

import android.app.Activity;
import android.content.Context;
import android.graphics.Canvas;
import android.graphics.Color;
import android.graphics.Paint;
import android.graphics.Point;
import android.graphics.Rect;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.util.DisplayMetrics;
import android.util.Log;
import android.view.Choreographer;
import android.view.KeyEvent;
import android.view.MotionEvent;
import android.view.View;
import android.view.WindowManager;
import android.widget.Toast;

/** Says what it is told, and on which thread. */
public class Watched extends Activity {
    private static final int ID = 7;
    private Board board;

    static void say(String what) {
        boolean isMain = Looper.myLooper() == Looper.getMainLooper();
        Log.i("watched", isMain ? what : what + ", on another thread");
    }

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        say("create " + getIntent().getStringExtra("who"));
        fail("create");
        getWindow().addFlags(WindowManager.LayoutParams.FLAG_KEEP_SCREEN_ON);
        board = new Board(this);
        board.setId(ID);
        setContentView(board);
        say("found " + (findViewById(ID) == board) + ", " + findViewById(ID + 1));
        screen();
        new Handler().post(
                new Runnable() {
                    @Override
                    public void run() {
                        fail("later");
                    }
                });
    }

    private void screen() {
        Point size = new Point();
        getWindowManager().getDefaultDisplay().getSize(size);
        DisplayMetrics metrics = getResources().getDisplayMetrics();
        say("screen " + size.x + " x " + size.y + ", " + metrics.widthPixels + " wide");
    }

    private void fail(String when) {
        if (when.equals(getIntent().getStringExtra("fail"))) {
            throw new IllegalStateException("on purpose");
        }
        if (when.equals(getIntent().getStringExtra("finish"))) {
            finish();
        }
    }

    @Override
    protected void onStart() {
        super.onStart();
        say("start");
    }

    @Override
    protected void onResume() {
        super.onResume();
        say("resume");
    }

    @Override
    public void onWindowFocusChanged(boolean has) {
        super.onWindowFocusChanged(has);
        say("focus " + has);
        if (has) {
            board.invalidate();
            board.invalidate();
            elsewhere();
        }
    }

    private void elsewhere() {
        Thread other = new Thread(
                new Runnable() {
                    @Override
                    public void run() {
                        try {
                            board.invalidate();
                        } catch (RuntimeException e) {
                            say("refused");
                        }
                        runOnUiThread(
                                new Runnable() {
                                    @Override
                                    public void run() {
                                        say("back");
                                    }
                                });
                    }
                });
        other.start();
        try {
            other.join();
        } catch (InterruptedException e) {
            say("interrupted");
        }
    }

    @Override
    public boolean onTouchEvent(MotionEvent event) {
        say("left over " + event.getAction() + " at " + event.getX() + ", " + event.getY());
        return true;
    }

    @Override
    public boolean onKeyDown(int code, KeyEvent event) {
        say("key " + code + " for the activity");
        return super.onKeyDown(code, event);
    }

    @Override
    protected void onPause() {
        say("pause, finishing " + isFinishing());
        super.onPause();
    }

    @Override
    protected void onStop() {
        say("stop");
        super.onStop();
    }

    @Override
    protected void onDestroy() {
        say("destroy");
        super.onDestroy();
    }

    /** Draws five times in a row. */
    static final class Board extends View implements View.OnTouchListener, Choreographer.FrameCallback {
        private static final int DRAWS = 5;
        private static final long FRAME_NANOS = 16666666;
        private final Paint paint = new Paint();
        private final StringBuilder apart = new StringBuilder();
        private int draws;
        private long last;

        Board(Context context) {
            super(context);
            setFocusable(true);
            setFocusableInTouchMode(true);
            setOnTouchListener(this);
        }

        @Override
        protected void onAttachedToWindow() {
            super.onAttachedToWindow();
            say("attached, " + getWidth() + " wide");
        }

        @Override
        protected void onSizeChanged(int width, int height, int oldWidth, int oldHeight) {
            say("size " + width + " x " + height + " from " + oldWidth + " x " + oldHeight);
        }

        @Override
        protected void onDraw(Canvas canvas) {
            paint.setColor(Color.argb(255, 1, 2, 3));
            Rect all = new Rect();
            getDrawingRect(all);
            canvas.drawRect(all, paint);
            canvas.drawText("x", all.exactCenterX(), all.exactCenterY(), paint);
            draws++;
            if (draws < DRAWS) {
                invalidate();
                Choreographer.getInstance().postFrameCallback(this);
            } else {
                say("drawn " + draws + " times, frames apart" + apart);
            }
        }

        @Override
        public void doFrame(long nanos) {
            if (last > 0) {
                apart.append(' ').append(Math.round((double) (nanos - last) / FRAME_NANOS));
            }
            last = nanos;
        }

        @Override
        public boolean onTouch(View view, MotionEvent event) {
            say("touch " + event.getAction() + " at " + event.getX() + ", " + event.getY());
            return false;
        }

        @Override
        public boolean onTouchEvent(MotionEvent event) {
            return event.getY() < 100;
        }

        @Override
        public boolean onKeyDown(int code, KeyEvent event) {
            say("key " + code + ", focused " + isFocused());
            if (code == KeyEvent.KEYCODE_SPACE) {
                Toast.makeText(getContext(), "a space", Toast.LENGTH_SHORT).show();
                return true;
            }
            return super.onKeyDown(code, event);
        }
    }
}

package android.view;

import android.graphics.Canvas;
import android.os.Looper;
import wattline.board.Screen;

/**
 * Hidden: a window on the board's screen. It measures, lays out and draws its content when the
 * screen refreshes, if something was invalidated since, and brings it its touches and keys.
 */
public final class ViewRoot extends Window {
    private final Thread thread = Thread.currentThread();
    private View content;
    private boolean shown;
    /** Whether the content had its first frame; before that, nobody is told of the window. */
    private boolean begun;
    private Runnable onFirstFrame;
    private boolean scheduled;
    private boolean layoutRequested;
    private boolean touched;

    /** The screen, for whoever asks for it. */
    public static Display display() {
        return new Display();
    }

    public View getContent() {
        return content;
    }

    public void setContent(View view) {
        if (content != null) {
            content.detach();
        }
        content = view;
        if (begun) {
            attach();
        }
    }

    /** After its activity was resumed; the first frame makes all sizes known. */
    public void show(Runnable onFirstFrame) {
        this.onFirstFrame = onFirstFrame;
        shown = true;
        requestLayout();
    }

    /** After its activity was stopped. */
    public void hide() {
        shown = false;
    }

    /** After its activity came back. */
    public void showAgain() {
        shown = true;
        scheduled = false;
        requestLayout();
    }

    /** After its activity was destroyed. */
    public void close() {
        shown = false;
        if (content != null) {
            content.detach();
            content = null;
        }
    }

    private void attach() {
        if (content != null) {
            content.attach(this);
            requestLayout();
        }
    }

    void requestLayout() {
        layoutRequested = true;
        schedule();
    }

    /** Asks for a frame; by the thread alone that made the window. */
    void schedule() {
        if (Thread.currentThread() != thread) {
            throw new IllegalStateException(
                    "Only the original thread that created a view hierarchy can touch its views.");
        }
        if (!scheduled && shown) {
            scheduled = true;
            Choreographer.getInstance().postTraversal(this::traverse);
        }
    }

    private void traverse() {
        scheduled = false;
        if (!shown) {
            return;
        }
        boolean isFirst = !begun;
        if (isFirst) {
            begun = true;
            attach();
        }
        if (content != null) {
            frame();
        }
        if (isFirst) {
            onFirstFrame.run();
        }
    }

    private void frame() {
        if (layoutRequested) {
            layoutRequested = false;
            content.measure(exactly(Screen.WIDTH), exactly(Screen.HEIGHT));
            content.layout(0, 0, Screen.WIDTH, Screen.HEIGHT);
            if (!content.hasFocus()) {
                content.requestFocus();
            }
        }
        if (content.takeInvalid()) {
            content.draw(new Canvas(Screen.WIDTH, Screen.HEIGHT));
        }
    }

    private static int exactly(int size) {
        return View.MeasureSpec.makeMeasureSpec(size, View.MeasureSpec.EXACTLY);
    }

    /** A view that did not want a finger's first touch does not hear of the rest. */
    public boolean dispatchTouchEvent(MotionEvent event) {
        if (event.getActionMasked() == MotionEvent.ACTION_DOWN) {
            touched = content != null && content.isUnder(event) && content.dispatchTouchEvent(event);
            return touched;
        }
        return touched && content != null && content.dispatchTouchEvent(event);
    }

    /** To the view with the focus. */
    public boolean dispatchKeyEvent(KeyEvent event) {
        return content != null && content.hasFocus() && content.dispatchKeyEvent(event);
    }

    public void dispatchWindowFocus(boolean has) {
        if (content != null) {
            content.dispatchWindowFocusChanged(has);
        }
    }

    static boolean isMain() {
        return Looper.myLooper() == Looper.getMainLooper();
    }
}

package android.view;

import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import java.util.ArrayList;
import java.util.List;
import wattline.board.Board;
import wattline.board.Screen;

/** Calls back when the screen refreshes next, once for each time that it is asked to. */
public final class Choreographer {
    private static final ThreadLocal<Choreographer> OWN = new ThreadLocal<>();
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Handler handler = new Handler();
    /** By the time at which they are due. */
    private final List<Waiting> waiting = new ArrayList<>();
    /** Windows that are to be drawn; of this thread alone. */
    private final List<Runnable> traversals = new ArrayList<>();
    private boolean scheduled;
    /** While callbacks run: what they invalidate is drawn in the same frame. */
    private boolean calling;

    /** Is called with the time of the frame, in nanoseconds since the board's boot. */
    public interface FrameCallback {
        void doFrame(long frameTimeNanos);
    }

    private static final class Waiting {
        final FrameCallback callback;
        final long dueMillis;

        Waiting(FrameCallback callback, long dueMillis) {
            this.callback = callback;
            this.dueMillis = dueMillis;
        }
    }

    private Choreographer() {
    }

    /** The one of this thread, which has a looper. */
    public static Choreographer getInstance() {
        if (Looper.myLooper() == null) {
            throw new IllegalStateException("The current thread must have a looper!");
        }
        Choreographer own = OWN.get();
        if (own == null) {
            own = new Choreographer();
            OWN.set(own);
        }
        return own;
    }

    public void postFrameCallback(FrameCallback callback) {
        postFrameCallbackDelayed(callback, 0);
    }

    public void postFrameCallbackDelayed(FrameCallback callback, long delayMillis) {
        if (callback == null) {
            throw new IllegalArgumentException("callback must not be null");
        }
        synchronized (waiting) {
            long due = SystemClock.uptimeMillis() + Math.max(0, delayMillis);
            int at = waiting.size();
            while (at > 0 && waiting.get(at - 1).dueMillis > due) {
                at--;
            }
            waiting.add(at, new Waiting(callback, due));
            schedule();
        }
    }

    public void removeFrameCallback(FrameCallback callback) {
        synchronized (waiting) {
            waiting.removeIf(one -> one.callback == callback);
        }
    }

    /** Hidden: once, after the callbacks of a frame. */
    void postTraversal(Runnable traversal) {
        traversals.add(traversal);
        if (!calling) {
            synchronized (waiting) {
                schedule();
            }
        }
    }

    private void schedule() {
        if (scheduled) {
            return;
        }
        scheduled = true;
        long frame = Screen.refreshAfter(Board.nanoTime());
        handler.postAtTime(() -> doFrame(frame), (frame + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
    }

    private void doFrame(long frame) {
        List<Waiting> due = new ArrayList<>();
        synchronized (waiting) {
            scheduled = false;
            long now = SystemClock.uptimeMillis();
            for (Waiting one : waiting) {
                if (one.dueMillis <= now) {
                    due.add(one);
                }
            }
            waiting.removeAll(due);
            if (!waiting.isEmpty()) {
                schedule();
            }
        }
        calling = true;
        for (Waiting one : due) {
            one.callback.doFrame(frame);
        }
        calling = false;
        List<Runnable> drawn = new ArrayList<>(traversals);
        traversals.clear();
        drawn.forEach(Runnable::run);
    }
}

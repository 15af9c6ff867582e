package conformance;

import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.os.Message;
import android.os.SystemClock;
import android.view.Choreographer;

/** What the main thread does in which order, and loopers of other threads. */
final class Messages {
    private final long start = SystemClock.uptimeMillis();
    private final Handler handler = new Handler(Looper.getMainLooper()) {
        @Override
        public void handleMessage(Message message) {
            told("handler", message);
        }
    };
    private final Runnable then;
    private Message kept;

    /** With what comes after all of them. */
    Messages(Runnable then) {
        this.then = then;
    }

    private void told(String who, Message message) {
        Say.since(start, who + " has " + message.what + " " + message.arg1 + " " + message.arg2 + " " + message.obj);
    }

    private Runnable saying(String what) {
        return () -> Say.since(start, what);
    }

    void begin() {
        other();
        order();
        removed();
        fields();
        handler.postDelayed(this::nested, 100);
    }

    private void order() {
        handler.postDelayed(saying("delayed 20, first"), 20);
        handler.postDelayed(saying("delayed 10"), 10);
        handler.postDelayed(saying("delayed 20, second"), 20);
        handler.postAtTime(saying("at 20"), start + 20);
        handler.postAtTime(saying("at 15"), start + 15);
        handler.postAtTime(saying("at a time that is over"), start - 50);
        Say.value("posted", handler.post(saying("posted")));
        handler.postDelayed(saying("delayed by less than nothing"), -5);
        Say.value("sent", handler.sendEmptyMessage(1));
        handler.sendEmptyMessageDelayed(2, 5);
        Message message = handler.obtainMessage(3, 4, 5, "object");
        handler.sendMessage(message);
        Say.value("when", message.getWhen() - start);
        Say.kind("sent twice", () -> handler.sendMessage(message));
        Message late = handler.obtainMessage(6, "late");
        handler.sendMessageDelayed(late, 12);
        Say.value("when", late.getWhen() - start);
        handler.sendMessageAtTime(handler.obtainMessage(7, 8, 9), start + 11);
        handler.obtainMessage(10).sendToTarget();
    }

    private void removed() {
        Runnable twice = saying("removed");
        handler.post(twice);
        handler.postDelayed(twice, 30);
        handler.removeCallbacks(twice);
        handler.removeCallbacks(null);
        handler.sendEmptyMessage(20);
        handler.sendEmptyMessageDelayed(20, 30);
        Say.value("has 20", handler.hasMessages(20));
        handler.removeMessages(20);
        Say.value("has 20", handler.hasMessages(20));
        Handler another = new Handler(Looper.getMainLooper(), message -> true);
        Say.value("has 0", another.hasMessages(0));
        another.post(saying("of no kind, and removed as such"));
        Say.value("has 0 with work", another.hasMessages(0));
        another.removeMessages(0);
        Say.value("has 0 after that", another.hasMessages(0));
        Object token = new Object();
        another.sendMessage(another.obtainMessage(21, token));
        another.sendMessage(another.obtainMessage(22, "stays"));
        another.removeCallbacksAndMessages(token);
        Say.value("has 21, 22", another.hasMessages(21) + " " + another.hasMessages(22));
        another.removeCallbacksAndMessages(null);
        Say.value("has 22", another.hasMessages(22));
        Say.value("the first one's", handler.hasMessages(1) + " " + handler.hasMessages(2));
    }

    private void fields() {
        Handler first = new Handler(Looper.getMainLooper(), message -> {
            told("callback", message);
            kept = message;
            return message.what == 30;
        }) {
            @Override
            public void handleMessage(Message message) {
                told("class", message);
            }
        };
        Message message = Message.obtain(first, 30, 1, 2, "thing");
        Say.value("target", message.getTarget() == first);
        Say.value("callback", message.getCallback());
        Bundle data = new Bundle();
        data.putInt("key", 5);
        message.setData(data);
        Say.value("data", message.getData() == data);
        message.sendToTarget();
        first.obtainMessage(31).sendToTarget();
        first.post(() -> Say.value("kept after it was handled", kept.what + " " + kept.obj + " " + kept.getTarget()));
        Say.value("looper", first.getLooper() == Looper.getMainLooper());
        Message own = Message.obtain();
        own.what = 32;
        first.dispatchMessage(own);
    }

    /** What messages send while they are handled. */
    private void nested() {
        Say.since(start, "nested");
        handler.post(saying("the second"));
        handler.post(() -> {
            Say.since(start, "the third");
            handler.post(saying("the fifth"));
            SystemClock.sleep(7);
            Say.since(start, "slept");
        });
        handler.post(saying("the fourth"));
        handler.postDelayed(saying("due while it slept"), 5);
        handler.postDelayed(this::frames, 50);
    }

    private void frames() {
        Choreographer choreographer = Choreographer.getInstance();
        Say.value("one of a thread", choreographer == Choreographer.getInstance());
        Choreographer.FrameCallback never = time -> Say.line("removed frame");
        choreographer.postFrameCallback(time -> Say.line("frame, first"));
        choreographer.postFrameCallback(never);
        choreographer.postFrameCallback(time -> {
            Say.line("frame, second, " + (time <= SystemClock.elapsedRealtimeNanos()));
            choreographer.postFrameCallback(again -> {
                Say.line("next frame, later " + (again > time));
                choreographer.postFrameCallbackDelayed(last -> finished(), 100);
                choreographer.postFrameCallbackDelayed(last -> Say.line("delayed 50"), 50);
            });
        });
        choreographer.postFrameCallback(time -> Say.line("frame, third"));
        choreographer.removeFrameCallback(never);
        Say.answer("no callback", () -> {
            choreographer.postFrameCallback(null);
            return "none";
        });
    }

    private void finished() {
        Say.line("delayed 100");
        inOneFrame();
    }

    /** Callbacks that become due with the same frame come by their times. */
    private void inOneFrame() {
        Choreographer choreographer = Choreographer.getInstance();
        choreographer.postFrameCallbackDelayed(time -> Say.line("delayed 40"), 40);
        choreographer.postFrameCallbackDelayed(time -> Say.line("delayed 30"), 30);
        choreographer.postFrameCallbackDelayed(time -> Say.line("delayed 40 as well"), 40);
        SystemClock.sleep(45);
        handler.postDelayed(then, 100);
    }

    // Loopers of other threads

    private static void other() {
        onThread("a looper", Messages::looper);
        onThread("quit", () -> quit(false));
        onThread("quit safely", () -> quit(true));
        onThread("none", Messages::none);
        Say.value("main", Looper.myLooper() == Looper.getMainLooper());
        Say.value("main's thread", Looper.getMainLooper().getThread() == Thread.currentThread());
        Say.value("current", Looper.getMainLooper().isCurrentThread());
        Say.value("queue", Looper.myQueue() == Looper.getMainLooper().getQueue());
        Say.kind("main quits", () -> {
            Looper.getMainLooper().quit();
            return "quits";
        });
    }

    private static void onThread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Say.line("interrupted");
        }
    }

    private static void none() {
        Say.value("no looper", Looper.myLooper());
        Say.kind("no handler", () -> new Handler() == null);
        Say.kind("no choreographer", Choreographer::getInstance);
        Say.value("not current", Looper.getMainLooper().isCurrentThread());
    }

    private static void looper() {
        Looper.prepare();
        Say.answer("prepared twice", () -> {
            Looper.prepare();
            return "twice";
        });
        Looper looper = Looper.myLooper();
        Say.value("own", new Handler().getLooper() == looper);
        Say.value("thread", looper.getThread() == Thread.currentThread());
        Handler own = new Handler(looper);
        own.post(() -> Say.line("on " + Thread.currentThread().getName()));
        own.post(looper::quit);
        own.post(() -> Say.line("after the end"));
        Looper.loop();
        Say.value("sent after the end", own.sendEmptyMessage(1) + " " + own.post(looper::quit));
    }

    /** Messages that are due, and one that is not, are there when the looper is told to end. */
    private static void quit(boolean safely) {
        Looper.prepare();
        Handler own = new Handler();
        own.post(() -> {
            own.post(() -> Say.line("due, " + safely));
            own.postDelayed(() -> Say.line("not due, " + safely), 5000);
            if (safely) {
                Looper.myLooper().quitSafely();
            } else {
                Looper.myLooper().quit();
            }
            Say.value("sent while it ends", own.sendEmptyMessage(2));
        });
        Looper.loop();
        Say.line("ended, " + safely);
    }
}

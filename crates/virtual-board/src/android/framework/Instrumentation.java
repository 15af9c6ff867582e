package android.app;

import android.content.ComponentName;
import android.content.Context;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import wattline.board.Board;

/** What a package is started with by {@code am instrument}. */
public class Instrumentation {
    public static final String REPORT_KEY_IDENTIFIER = "id";
    public static final String REPORT_KEY_STREAMRESULT = "stream";

    private Context context;
    private Context target;

    /** Hidden: gives it its contexts. */
    public final void attach(Context context, Application application) {
        this.context = context;
        target = application;
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

    public void sendStatus(int code, Bundle status) {
        report("status", code, status);
    }

    /** Ends the process. */
    public void finish(int code, Bundle results) {
        onDestroy();
        report("result", code, results);
        System.exit(0);
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

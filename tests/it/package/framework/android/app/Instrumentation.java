package android.app;

import android.content.Context;
import android.os.Bundle;

/** As Android documents it: start() calls onStart() on a thread of its own. */
public class Instrumentation {
    private final Context context = new Context();

    public void onCreate(Bundle arguments) {}

    public void onStart() {}

    public void start() {
        new Thread(this::onStart, "instrumentation").start();
    }

    public Context getContext() {
        return context;
    }

    public Context getTargetContext() {
        return context;
    }

    /** Prints as `am instrument -r` does. */
    public void sendStatus(int code, Bundle status) {
        status.print("INSTRUMENTATION_STATUS: ");
        System.out.println("INSTRUMENTATION_STATUS_CODE: " + code);
    }

    /** Ends the process without a word, as Android does. */
    public void finish(int code, Bundle result) {
        result.print("INSTRUMENTATION_RESULT: ");
        System.out.println("INSTRUMENTATION_CODE: " + code);
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
}

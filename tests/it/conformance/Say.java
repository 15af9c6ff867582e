package conformance;

import android.os.SystemClock;
import java.util.concurrent.Callable;

/** The lines of the transcript, on standard output, each with a mark that nobody else's has. */
final class Say {
    static final String MARK = "| ";

    private Say() {
    }

    static void line(String what) {
        System.out.println(MARK + what);
    }

    static void value(String what, Object value) {
        line(what + " = " + value);
    }

    /** What a call answers, or of which class and with which words it fails. */
    static void answer(String what, Callable<?> call) {
        try {
            value(what, call.call());
        } catch (Exception e) {
            value(what, e.getClass().getName() + ": " + e.getMessage());
        }
    }

    /** What a call answers, or of which class it fails: where the words are nobody's promise. */
    static void kind(String what, Callable<?> call) {
        try {
            value(what, call.call());
        } catch (Exception e) {
            value(what, e.getClass().getName());
        }
    }

    /** With the milliseconds that have passed since a time. */
    static void since(long start, String what) {
        line(what + " after " + (SystemClock.uptimeMillis() - start) + " ms");
    }

    /** A call without an answer. */
    interface Work {
        void run() throws Exception;
    }

    static void done(String what, Work work) {
        answer(what, () -> {
            work.run();
            return "done";
        });
    }
}

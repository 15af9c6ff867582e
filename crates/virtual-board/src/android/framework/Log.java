package android.util;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.UnknownHostException;
import wattline.board.Board;

/** Writes to the board's log. */
public final class Log {
    public static final int VERBOSE = 2;
    public static final int DEBUG = 3;
    public static final int INFO = 4;
    public static final int WARN = 5;
    public static final int ERROR = 6;
    public static final int ASSERT = 7;

    private Log() {
    }

    public static int v(String tag, String text) {
        return println(VERBOSE, tag, text);
    }

    public static int v(String tag, String text, Throwable thrown) {
        return println(VERBOSE, tag, with(text, thrown));
    }

    public static int d(String tag, String text) {
        return println(DEBUG, tag, text);
    }

    public static int d(String tag, String text, Throwable thrown) {
        return println(DEBUG, tag, with(text, thrown));
    }

    public static int i(String tag, String text) {
        return println(INFO, tag, text);
    }

    public static int i(String tag, String text, Throwable thrown) {
        return println(INFO, tag, with(text, thrown));
    }

    public static int w(String tag, String text) {
        return println(WARN, tag, text);
    }

    public static int w(String tag, String text, Throwable thrown) {
        return println(WARN, tag, with(text, thrown));
    }

    public static int w(String tag, Throwable thrown) {
        return println(WARN, tag, getStackTraceString(thrown));
    }

    public static int e(String tag, String text) {
        return println(ERROR, tag, text);
    }

    public static int e(String tag, String text, Throwable thrown) {
        return println(ERROR, tag, with(text, thrown));
    }

    public static boolean isLoggable(String tag, int level) {
        return level >= INFO;
    }

    public static String getStackTraceString(Throwable thrown) {
        // A network that is out of reach fills no logs.
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException) {
                return "";
            }
        }
        if (thrown == null) {
            return "";
        }
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }

    /** The number of bytes written, as far as anybody asks. */
    public static int println(int level, String tag, String text) {
        String letter = "VDIWEF".substring(level - VERBOSE, level - VERBOSE + 1);
        Board.report("log", letter, tag, text);
        return String.valueOf(text).length();
    }

    private static String with(String text, Throwable thrown) {
        return text + "\n" + getStackTraceString(thrown);
    }
}

package android.os;

import wattline.board.Board;
import wattline.board.MethodTracing;

/** Tracing of methods up to Android 4.4, where Dalvik begins it for those who know VMDebug. */
public final class Debug {
    /** Dalvik waits so long for threads that are writing. */
    private static final long SETTLING_NANOS = 250_000_000;

    private Debug() {
    }

    public static void stopMethodTracing() {
        if (MethodTracing.isRunning()) {
            MethodTracing.stop();
            try {
                Board.sleep(SETTLING_NANOS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

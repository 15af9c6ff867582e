package android.os;

import wattline.board.MethodTracing;

/** Tracing of methods from Android 5.0 on: by sampling alone. */
public final class Debug {
    private Debug() {
    }

    public static void startMethodTracingSampling(String tracePath, int bufferSize, int intervalUs) {
        MethodTracing.start(tracePath, bufferSize, intervalUs);
    }

    public static void stopMethodTracing() {
        MethodTracing.stop();
    }
}

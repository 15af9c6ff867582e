package dalvik.system;

import wattline.board.MethodTracing;

/** Hidden from applications' compilers, not from reflection; of its methods what samples. */
public final class VMDebug {
    private VMDebug() {
    }

    public static void startMethodTracing(
            String traceFileName, int bufferSize, int flags, boolean samplingEnabled, int intervalUs) {
        if (!samplingEnabled) {
            throw new UnsupportedOperationException("the virtual board traces methods by sampling alone");
        }
        MethodTracing.start(traceFileName, bufferSize, intervalUs);
    }
}

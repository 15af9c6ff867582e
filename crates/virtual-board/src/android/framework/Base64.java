package android.util;

/** Bytes in letters; decoding and line ends are not there. */
public class Base64 {
    public static final int NO_PADDING = 1;
    public static final int NO_WRAP = 2;

    private Base64() {
    }

    public static String encodeToString(byte[] input, int flags) {
        if ((flags & ~NO_PADDING) != NO_WRAP) {
            throw new UnsupportedOperationException("the virtual board knows NO_WRAP and NO_PADDING");
        }
        java.util.Base64.Encoder encoder = java.util.Base64.getEncoder();
        return ((flags & NO_PADDING) == 0 ? encoder : encoder.withoutPadding()).encodeToString(input);
    }
}

package android.util;

import java.nio.charset.StandardCharsets;

/** Bytes in letters; the way back is not there. */
public class Base64 {
    public static final int DEFAULT = 0;
    public static final int NO_PADDING = 1;
    public static final int NO_WRAP = 2;
    public static final int CRLF = 4;
    public static final int URL_SAFE = 8;

    private static final int LINE = 76;

    private Base64() {
    }

    public static byte[] encode(byte[] input, int flags) {
        return encodeToString(input, flags).getBytes(StandardCharsets.US_ASCII);
    }

    /** Each line has an end, the last one, too. */
    public static String encodeToString(byte[] input, int flags) {
        java.util.Base64.Encoder encoder =
                (flags & URL_SAFE) == 0 ? java.util.Base64.getEncoder() : java.util.Base64.getUrlEncoder();
        String text = ((flags & NO_PADDING) == 0 ? encoder : encoder.withoutPadding()).encodeToString(input);
        if ((flags & NO_WRAP) != 0) {
            return text;
        }
        StringBuilder lines = new StringBuilder();
        for (int from = 0; from < text.length(); from += LINE) {
            lines.append(text, from, Math.min(from + LINE, text.length()));
            lines.append((flags & CRLF) == 0 ? "\n" : "\r\n");
        }
        return lines.toString();
    }
}

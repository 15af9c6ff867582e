package org.wattline.junit;

/** Names of tests come from anywhere: characters that control a terminal appear as codes. */
final class VisibleText {
    private VisibleText() {
    }

    static String of(String text) {
        StringBuilder visible = new StringBuilder();
        text.codePoints().forEach(code -> {
            if (isControl(code)) {
                visible.append(String.format("\\u%04x", code));
            } else {
                visible.appendCodePoint(code);
            }
        });
        return visible.toString();
    }

    private static boolean isControl(int code) {
        int type = Character.getType(code);
        return Character.isISOControl(code) || type == Character.FORMAT || type == Character.SURROGATE
                || type == Character.LINE_SEPARATOR || type == Character.PARAGRAPH_SEPARATOR || code >= 0xfffe && code <= 0xffff;
    }
}

package wattline.maven;

import java.util.Collection;
import java.util.Map;

/** Maps, collections, texts and numbers as JSON. */
final class Json {
    private Json() {}

    static String text(Object value) {
        StringBuilder to = new StringBuilder();
        put(value, to);
        return to.toString();
    }

    private static void put(Object value, StringBuilder to) {
        if (value instanceof Map) {
            to.append('{');
            String separator = "";
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                to.append(separator);
                string(entry.getKey().toString(), to);
                to.append(':');
                put(entry.getValue(), to);
                separator = ",";
            }
            to.append('}');
        } else if (value instanceof Collection) {
            to.append('[');
            String separator = "";
            for (Object element : (Collection<?>) value) {
                to.append(separator);
                put(element, to);
                separator = ",";
            }
            to.append(']');
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            to.append(value);
        } else {
            string(value.toString(), to);
        }
    }

    private static void string(String text, StringBuilder to) {
        to.append('"');
        for (int index = 0; index < text.length(); index++) {
            char letter = text.charAt(index);
            if (letter == '"' || letter == '\\') {
                to.append('\\').append(letter);
            } else if (letter < ' ' || Character.isSurrogate(letter)) {
                to.append(String.format("\\u%04x", (int) letter));
            } else {
                to.append(letter);
            }
        }
        to.append('"');
    }
}

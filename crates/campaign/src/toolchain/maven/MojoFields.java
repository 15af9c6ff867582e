package wattline.maven;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Parameters of a goal's object: fields of the plugin's classes, by their documented names. */
final class MojoFields {
    private MojoFields() {}

    /** The value of a field of an object; null where its class has none of that name. */
    static Object value(Object object, String name) throws ReflectiveOperationException {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field.get(object);
                }
            }
        }
        return null;
    }

    /** A parameter as a text or as a list of texts; null where it is not set. */
    static Object words(Object value) {
        if (value instanceof Map) {
            List<String> words = new ArrayList<>();
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                words.add(String.valueOf(entry.getKey()));
                words.add(entry.getValue() == null ? "" : entry.getValue().toString());
            }
            return words;
        }
        if (value instanceof Collection) {
            return list((Collection<?>) value);
        }
        if (value instanceof Object[]) {
            return list(java.util.Arrays.asList((Object[]) value));
        }
        return value == null ? null : value.toString();
    }

    /** A list of texts; an element that is not set is not there for the plugin either. */
    private static List<String> list(Collection<?> values) {
        List<String> words = new ArrayList<>();
        for (Object value : values) {
            if (value != null) {
                words.add(value.toString());
            }
        }
        return words;
    }
}

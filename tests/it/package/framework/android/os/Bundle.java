package android.os;

import java.util.Set;
import java.util.TreeMap;

/** Texts by name. */
public class Bundle {
    private final TreeMap<String, String> texts = new TreeMap<>();

    public void putString(String key, String text) {
        texts.put(key, text);
    }

    public String getString(String key) {
        return texts.get(key);
    }

    public Object get(String key) {
        return texts.get(key);
    }

    public boolean containsKey(String key) {
        return texts.containsKey(key);
    }

    public Set<String> keySet() {
        return texts.keySet();
    }

    /** Each on a line of its own, as Android's tools do. */
    public void print(String before) {
        texts.forEach((key, text) -> System.out.println(before + key + "=" + text));
    }
}

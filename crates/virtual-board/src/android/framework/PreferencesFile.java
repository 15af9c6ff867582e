package wattline.board;

import android.content.SharedPreferences;
import java.io.File;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** Preferences in a file of Android's form: a map of strings, sets and numbers in XML. */
final class PreferencesFile implements SharedPreferences {
    private final File file;
    private final Map<String, Object> values = new TreeMap<>();

    PreferencesFile(File file) {
        this.file = file;
        if (file.isFile()) {
            read();
        }
    }

    private void read() {
        try {
            Node map = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file).getDocumentElement();
            for (Node node = map.getFirstChild(); node != null; node = node.getNextSibling()) {
                if (node instanceof Element) {
                    values.put(((Element) node).getAttribute("name"), value((Element) node));
                }
            }
        } catch (Exception e) {
            System.err.println("Cannot read " + file + ": " + e);
        }
    }

    private static Object value(Element element) {
        String text = element.getAttribute("value");
        switch (element.getTagName()) {
            case "int":
                return Integer.valueOf(text);
            case "long":
                return Long.valueOf(text);
            case "float":
                return Float.valueOf(text);
            case "boolean":
                return Boolean.valueOf(text);
            case "set":
                Set<String> all = new HashSet<>();
                for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
                    if (node instanceof Element) {
                        all.add(node.getTextContent());
                    }
                }
                return all;
            default:
                return element.getTextContent();
        }
    }

    private synchronized boolean write() {
        File part = new File(file.getPath() + ".part");
        try (Writer out = new OutputStreamWriter(Files.newOutputStream(part.toPath()), StandardCharsets.UTF_8)) {
            out.write("<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map>\n");
            for (Map.Entry<String, Object> one : values.entrySet()) {
                out.write("    " + element(one.getKey(), one.getValue()) + "\n");
            }
            out.write("</map>\n");
        } catch (IOException e) {
            return false;
        }
        try {
            Files.move(part.toPath(), file.toPath(), StandardCopyOption.REPLACE_EXISTING);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static String element(String key, Object value) {
        String name = " name=\"" + escaped(key) + "\"";
        if (value instanceof String) {
            return "<string" + name + ">" + escaped((String) value) + "</string>";
        }
        if (value instanceof Set) {
            StringBuilder all = new StringBuilder("<set" + name + ">");
            for (Object one : (Set<?>) value) {
                all.append("<string>").append(escaped(String.valueOf(one))).append("</string>");
            }
            return all.append("</set>").toString();
        }
        String type = value instanceof Integer ? "int" : value.getClass().getSimpleName().toLowerCase();
        return "<" + type + name + " value=\"" + value + "\" />";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }

    private synchronized <T> T get(String key, Class<T> kind, T otherwise) {
        Object value = values.get(key);
        return value == null ? otherwise : kind.cast(value);
    }

    @Override
    public synchronized Map<String, ?> getAll() {
        return new HashMap<>(values);
    }

    @Override
    public String getString(String key, String otherwise) {
        return get(key, String.class, otherwise);
    }

    @Override
    @SuppressWarnings("unchecked")
    public Set<String> getStringSet(String key, Set<String> otherwise) {
        return get(key, Set.class, otherwise);
    }

    @Override
    public int getInt(String key, int otherwise) {
        return get(key, Integer.class, otherwise);
    }

    @Override
    public long getLong(String key, long otherwise) {
        return get(key, Long.class, otherwise);
    }

    @Override
    public float getFloat(String key, float otherwise) {
        return get(key, Float.class, otherwise);
    }

    @Override
    public boolean getBoolean(String key, boolean otherwise) {
        return get(key, Boolean.class, otherwise);
    }

    @Override
    public synchronized boolean contains(String key) {
        return values.containsKey(key);
    }

    @Override
    public Editor edit() {
        return new Changes();
    }

    /** What an editor collects until it is committed. */
    private final class Changes implements Editor {
        private final Map<String, Object> changes = new HashMap<>();
        private boolean clear;

        private Editor put(String key, Object value) {
            changes.put(key, value);
            return this;
        }

        @Override
        public Editor putString(String key, String value) {
            return put(key, value);
        }

        @Override
        public Editor putStringSet(String key, Set<String> value) {
            return put(key, value == null ? null : new HashSet<>(value));
        }

        @Override
        public Editor putInt(String key, int value) {
            return put(key, value);
        }

        @Override
        public Editor putLong(String key, long value) {
            return put(key, value);
        }

        @Override
        public Editor putFloat(String key, float value) {
            return put(key, value);
        }

        @Override
        public Editor putBoolean(String key, boolean value) {
            return put(key, value);
        }

        @Override
        public Editor remove(String key) {
            return put(key, null);
        }

        @Override
        public Editor clear() {
            clear = true;
            return this;
        }

        @Override
        public boolean commit() {
            synchronized (PreferencesFile.this) {
                if (clear) {
                    values.clear();
                }
                values.putAll(changes);
                values.values().removeIf(value -> value == null);
                // An editor that is used again begins anew.
                clear = false;
                changes.clear();
                return write();
            }
        }

        @Override
        public void apply() {
            commit();
        }
    }
}

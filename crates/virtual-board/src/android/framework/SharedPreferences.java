package android.content;

import java.util.Map;
import java.util.Set;

/** As Android documents it, without listeners. */
public interface SharedPreferences {
    Map<String, ?> getAll();

    String getString(String key, String otherwise);

    Set<String> getStringSet(String key, Set<String> otherwise);

    int getInt(String key, int otherwise);

    long getLong(String key, long otherwise);

    float getFloat(String key, float otherwise);

    boolean getBoolean(String key, boolean otherwise);

    boolean contains(String key);

    Editor edit();

    /** Collects changes. */
    interface Editor {
        Editor putString(String key, String value);

        Editor putStringSet(String key, Set<String> value);

        Editor putInt(String key, int value);

        Editor putLong(String key, long value);

        Editor putFloat(String key, float value);

        Editor putBoolean(String key, boolean value);

        Editor remove(String key);

        Editor clear();

        boolean commit();

        void apply();
    }
}

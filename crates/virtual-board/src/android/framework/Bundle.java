package android.os;

import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Values by name. One of another type than asked for counts as absent. */
public final class Bundle {
    /** Names by their hashes: Android's bundles are told and walked in this order. */
    private static final Comparator<String> BY_HASH =
            Comparator.<String>comparingInt(name -> name == null ? 0 : name.hashCode())
                    .thenComparing(Comparator.nullsLast(Comparator.naturalOrder()));

    private final Map<String, Object> values = new TreeMap<>(BY_HASH);

    public Bundle() {
    }

    public Bundle(int capacity) {
    }

    public Bundle(Bundle other) {
        putAll(other);
    }

    public void putAll(Bundle other) {
        values.putAll(other.values);
    }

    public Object get(String key) {
        return values.get(key);
    }

    public boolean containsKey(String key) {
        return values.containsKey(key);
    }

    public Set<String> keySet() {
        return values.keySet();
    }

    public int size() {
        return values.size();
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    public void clear() {
        values.clear();
    }

    public void remove(String key) {
        values.remove(key);
    }

    public void putString(String key, String value) {
        values.put(key, value);
    }

    public void putCharSequence(String key, CharSequence value) {
        values.put(key, value);
    }

    public void putStringArray(String key, String[] value) {
        values.put(key, value);
    }

    public void putBundle(String key, Bundle value) {
        values.put(key, value);
    }

    public void putInt(String key, int value) {
        values.put(key, value);
    }

    public void putLong(String key, long value) {
        values.put(key, value);
    }

    public void putFloat(String key, float value) {
        values.put(key, value);
    }

    public void putDouble(String key, double value) {
        values.put(key, value);
    }

    public void putBoolean(String key, boolean value) {
        values.put(key, value);
    }

    public void putIntArray(String key, int[] value) {
        values.put(key, value);
    }

    public void putParcelable(String key, Parcelable value) {
        values.put(key, value);
    }

    public int[] getIntArray(String key) {
        return as(key, int[].class, null);
    }

    @SuppressWarnings("unchecked")
    public <T extends Parcelable> T getParcelable(String key) {
        return (T) as(key, Parcelable.class, null);
    }

    /** Hidden: as it comes out of a parcel, with copies of what was written into it. */
    public Bundle parcelled() {
        Bundle copy = new Bundle();
        values.forEach((key, value) -> copy.values.put(key, copied(value)));
        return copy;
    }

    private static Object copied(Object value) {
        if (value instanceof Bundle) {
            return ((Bundle) value).parcelled();
        }
        if (value instanceof int[]) {
            return ((int[]) value).clone();
        }
        if (!(value instanceof Parcelable)) {
            return value;
        }
        Parcel parcel = Parcel.obtain();
        parcel.writeParcelable((Parcelable) value, 0);
        parcel.setDataPosition(0);
        return parcel.readParcelable(null);
    }

    public String getString(String key) {
        return as(key, String.class, null);
    }

    public String getString(String key, String otherwise) {
        return as(key, String.class, otherwise);
    }

    public CharSequence getCharSequence(String key) {
        return as(key, CharSequence.class, null);
    }

    public String[] getStringArray(String key) {
        return as(key, String[].class, null);
    }

    public Bundle getBundle(String key) {
        return as(key, Bundle.class, null);
    }

    public int getInt(String key) {
        return getInt(key, 0);
    }

    public int getInt(String key, int otherwise) {
        return as(key, Integer.class, otherwise);
    }

    public long getLong(String key) {
        return getLong(key, 0);
    }

    public long getLong(String key, long otherwise) {
        return as(key, Long.class, otherwise);
    }

    public float getFloat(String key) {
        return getFloat(key, 0);
    }

    public float getFloat(String key, float otherwise) {
        return as(key, Float.class, otherwise);
    }

    public double getDouble(String key) {
        return getDouble(key, 0);
    }

    public double getDouble(String key, double otherwise) {
        return as(key, Double.class, otherwise);
    }

    public boolean getBoolean(String key) {
        return getBoolean(key, false);
    }

    public boolean getBoolean(String key, boolean otherwise) {
        return as(key, Boolean.class, otherwise);
    }

    private <T> T as(String key, Class<T> kind, T otherwise) {
        Object value = values.get(key);
        return kind.isInstance(value) ? kind.cast(value) : otherwise;
    }

    @Override
    public String toString() {
        return "Bundle[" + values + "]";
    }
}

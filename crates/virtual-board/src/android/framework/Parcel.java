package android.os;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;

/** Values one after the other, written and then read in the same order. */
public final class Parcel {
    private final List<Object> values = new ArrayList<>();
    private int at;

    private Parcel() {
    }

    public static Parcel obtain() {
        return new Parcel();
    }

    public void recycle() {
        values.clear();
        at = 0;
    }

    public void setDataPosition(int position) {
        at = position;
    }

    public int dataPosition() {
        return at;
    }

    public void writeInt(int value) {
        write(value);
    }

    public void writeLong(long value) {
        write(value);
    }

    public void writeFloat(float value) {
        write(value);
    }

    public void writeDouble(double value) {
        write(value);
    }

    public void writeByte(byte value) {
        write(value);
    }

    public void writeString(String value) {
        write(value);
    }

    public void writeIntArray(int[] value) {
        write(value == null ? null : value.clone());
    }

    public void writeLongArray(long[] value) {
        write(value == null ? null : value.clone());
    }

    public void writeParcelable(Parcelable value, int flags) {
        write(value == null ? null : value.getClass());
        if (value != null) {
            value.writeToParcel(this, flags);
        }
    }

    public int readInt() {
        return read(Integer.class, 0);
    }

    public long readLong() {
        return read(Long.class, 0L);
    }

    public float readFloat() {
        return read(Float.class, 0f);
    }

    public double readDouble() {
        return read(Double.class, 0.0);
    }

    public byte readByte() {
        return read(Byte.class, (byte) 0);
    }

    public String readString() {
        return read(String.class, null);
    }

    public int[] createIntArray() {
        return read(int[].class, null);
    }

    public long[] createLongArray() {
        return read(long[].class, null);
    }

    /** By the class that was written; which loader has it is all the same here. */
    @SuppressWarnings("unchecked")
    public <T extends Parcelable> T readParcelable(ClassLoader loader) {
        Class<?> type = read(Class.class, null);
        if (type == null) {
            return null;
        }
        try {
            // Android asks whether the field is public, not whether its class is.
            Field creator = type.getField("CREATOR");
            creator.setAccessible(true);
            return (T) ((Parcelable.Creator<?>) creator.get(null)).createFromParcel(this);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "Parcelable protocol requires a Parcelable.Creator object called CREATOR on class " + type.getName(), e);
        }
    }

    private void write(Object value) {
        values.add(at++, value);
    }

    /** The next value; past the end there is the type's zero. */
    private <T> T read(Class<T> kind, T otherwise) {
        Object value = at < values.size() ? values.get(at++) : null;
        return kind.isInstance(value) ? kind.cast(value) : otherwise;
    }
}

package wattline.board;

/** A value of a resource or of an attribute, as Android's files have it. */
public final class ResourceValue {
    private static final int REFERENCE = 0x01;
    private static final int STRING = 0x03;
    private static final int FLOAT = 0x04;
    private static final int DIMENSION = 0x05;
    private static final int FIRST_INT = 0x10;
    private static final int BOOLEAN = 0x12;
    private static final int FIRST_COLOR = 0x1c;
    private static final int LAST_INT = 0x1f;
    /** Device-independent pixels are the board's own; points, inches and millimetres are not. */
    private static final float[] UNITS = {1, 1, 1, 160f / 72, 160, 160 / 25.4f};
    /** By what a size's 24 bits are multiplied. */
    private static final float[] RADIX = {1, 1f / (1 << 7), 1f / (1 << 15), 1f / (1 << 23)};

    private final int type;
    private final int data;
    private final String text;

    ResourceValue(int type, int data, StringPool strings) {
        this.type = type;
        this.data = data;
        text = type == STRING ? strings.get(data) : null;
    }

    public boolean isReference() {
        return type == REFERENCE && data != 0;
    }

    /** What it refers to. */
    public int id() {
        return data;
    }

    /** Null if it is no text. */
    public String text() {
        return text;
    }

    public boolean isInt() {
        return type >= FIRST_INT && type <= LAST_INT;
    }

    public boolean isColor() {
        return type >= FIRST_COLOR && type <= LAST_INT;
    }

    public boolean isBoolean() {
        return type == BOOLEAN;
    }

    public boolean isFloat() {
        return type == FLOAT;
    }

    public boolean isDimension() {
        return type == DIMENSION;
    }

    public int asInt() {
        return data;
    }

    public float asFloat() {
        return Float.intBitsToFloat(data);
    }

    /** In pixels. */
    public float asDimension() {
        int unit = data & 0xf;
        float size = (data & 0xffffff00) * (RADIX[data >> 4 & 3] / 256);
        return size * (unit < UNITS.length ? UNITS[unit] : 1);
    }

    @Override
    public String toString() {
        return text != null ? text : "0x" + Integer.toHexString(data) + " of type " + type;
    }
}

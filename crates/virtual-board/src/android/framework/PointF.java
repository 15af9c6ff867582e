package android.graphics;

/** A place. */
public class PointF {
    public float x;
    public float y;

    public PointF() {
    }

    public PointF(float x, float y) {
        set(x, y);
    }

    public final void set(float x, float y) {
        this.x = x;
        this.y = y;
    }

    public final void set(PointF other) {
        set(other.x, other.y);
    }

    public final void offset(float byX, float byY) {
        x += byX;
        y += byY;
    }

    public final float length() {
        return length(x, y);
    }

    public static float length(float x, float y) {
        return (float) Math.hypot(x, y);
    }

    public final boolean equals(float x, float y) {
        return this.x == x && this.y == y;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PointF && Float.compare(x, ((PointF) other).x) == 0
                && Float.compare(y, ((PointF) other).y) == 0;
    }

    @Override
    public int hashCode() {
        return 31 * bits(x) + bits(y);
    }

    /** Both zeros have the same. */
    private static int bits(float part) {
        return part == 0 ? 0 : Float.floatToIntBits(part);
    }

    @Override
    public String toString() {
        return "PointF(" + x + ", " + y + ")";
    }
}

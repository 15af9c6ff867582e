package android.graphics;

/** A rectangle. */
public class RectF {
    public float left;
    public float top;
    public float right;
    public float bottom;

    public RectF() {
    }

    public RectF(float left, float top, float right, float bottom) {
        set(left, top, right, bottom);
    }

    public RectF(Rect other) {
        this(other.left, other.top, other.right, other.bottom);
    }

    public RectF(RectF other) {
        this(other.left, other.top, other.right, other.bottom);
    }

    public void set(float left, float top, float right, float bottom) {
        this.left = left;
        this.top = top;
        this.right = right;
        this.bottom = bottom;
    }

    public void set(Rect other) {
        set(other.left, other.top, other.right, other.bottom);
    }

    public void set(RectF other) {
        set(other.left, other.top, other.right, other.bottom);
    }

    public void setEmpty() {
        set(0, 0, 0, 0);
    }

    public final boolean isEmpty() {
        return left >= right || top >= bottom;
    }

    public final float width() {
        return right - left;
    }

    public final float height() {
        return bottom - top;
    }

    public final float centerX() {
        return (left + right) * 0.5f;
    }

    public final float centerY() {
        return (top + bottom) * 0.5f;
    }

    public void round(Rect to) {
        to.set(Math.round(left), Math.round(top), Math.round(right), Math.round(bottom));
    }

    public void offset(float byX, float byY) {
        set(left + byX, top + byY, right + byX, bottom + byY);
    }

    public void offsetTo(float newLeft, float newTop) {
        set(newLeft, newTop, newLeft + width(), newTop + height());
    }

    public void inset(float byX, float byY) {
        set(left + byX, top + byY, right - byX, bottom - byY);
    }

    /** Edges on the left and at the top are part of it, the others are not. */
    public boolean contains(float x, float y) {
        return !isEmpty() && x >= left && x < right && y >= top && y < bottom;
    }

    public boolean contains(RectF other) {
        return !isEmpty() && left <= other.left && top <= other.top && right >= other.right && bottom >= other.bottom;
    }

    public boolean intersects(float left, float top, float right, float bottom) {
        return this.left < right && left < this.right && this.top < bottom && top < this.bottom;
    }

    public static boolean intersects(RectF one, RectF other) {
        return one.intersects(other.left, other.top, other.right, other.bottom);
    }

    /** Becomes what both have; stays as it is where that is nothing. */
    public boolean intersect(float left, float top, float right, float bottom) {
        if (!intersects(left, top, right, bottom)) {
            return false;
        }
        set(Math.max(this.left, left), Math.max(this.top, top), Math.min(this.right, right),
                Math.min(this.bottom, bottom));
        return true;
    }

    public boolean intersect(RectF other) {
        return intersect(other.left, other.top, other.right, other.bottom);
    }

    /** Becomes the smallest that holds both. */
    public void union(float left, float top, float right, float bottom) {
        if (left >= right || top >= bottom) {
            return;
        }
        if (isEmpty()) {
            set(left, top, right, bottom);
            return;
        }
        set(Math.min(this.left, left), Math.min(this.top, top), Math.max(this.right, right),
                Math.max(this.bottom, bottom));
    }

    public void union(RectF other) {
        union(other.left, other.top, other.right, other.bottom);
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof RectF)) {
            return false;
        }
        RectF rect = (RectF) other;
        return left == rect.left && top == rect.top && right == rect.right && bottom == rect.bottom;
    }

    @Override
    public int hashCode() {
        return 31 * (31 * (31 * bits(left) + bits(top)) + bits(right)) + bits(bottom);
    }

    /** Both zeros have the same. */
    private static int bits(float edge) {
        return edge == 0 ? 0 : Float.floatToIntBits(edge);
    }

    @Override
    public String toString() {
        return "RectF(" + left + ", " + top + ", " + right + ", " + bottom + ")";
    }
}

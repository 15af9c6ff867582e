package android.graphics;

/** A rectangle in whole pixels. */
public final class Rect {
    public int left;
    public int top;
    public int right;
    public int bottom;

    public Rect() {
    }

    public Rect(int left, int top, int right, int bottom) {
        set(left, top, right, bottom);
    }

    public Rect(Rect other) {
        this(other.left, other.top, other.right, other.bottom);
    }

    public void set(int left, int top, int right, int bottom) {
        this.left = left;
        this.top = top;
        this.right = right;
        this.bottom = bottom;
    }

    public void set(Rect other) {
        set(other.left, other.top, other.right, other.bottom);
    }

    public void setEmpty() {
        set(0, 0, 0, 0);
    }

    public final boolean isEmpty() {
        return left >= right || top >= bottom;
    }

    public final int width() {
        return right - left;
    }

    public final int height() {
        return bottom - top;
    }

    public final int centerX() {
        return (left + right) >> 1;
    }

    public final int centerY() {
        return (top + bottom) >> 1;
    }

    public final float exactCenterX() {
        return (left + right) * 0.5f;
    }

    public final float exactCenterY() {
        return (top + bottom) * 0.5f;
    }

    public void offset(int byX, int byY) {
        set(left + byX, top + byY, right + byX, bottom + byY);
    }

    public void offsetTo(int newLeft, int newTop) {
        set(newLeft, newTop, newLeft + width(), newTop + height());
    }

    public void inset(int byX, int byY) {
        set(left + byX, top + byY, right - byX, bottom - byY);
    }

    /** Edges on the left and at the top are part of it, the others are not. */
    public boolean contains(int x, int y) {
        return !isEmpty() && x >= left && x < right && y >= top && y < bottom;
    }

    public boolean contains(Rect other) {
        return !isEmpty() && left <= other.left && top <= other.top && right >= other.right && bottom >= other.bottom;
    }

    public boolean intersects(int left, int top, int right, int bottom) {
        return this.left < right && left < this.right && this.top < bottom && top < this.bottom;
    }

    public static boolean intersects(Rect one, Rect other) {
        return one.intersects(other.left, other.top, other.right, other.bottom);
    }

    /** Becomes what both have; stays as it is where that is nothing. */
    public boolean intersect(int left, int top, int right, int bottom) {
        if (!intersects(left, top, right, bottom)) {
            return false;
        }
        set(Math.max(this.left, left), Math.max(this.top, top), Math.min(this.right, right),
                Math.min(this.bottom, bottom));
        return true;
    }

    public boolean intersect(Rect other) {
        return intersect(other.left, other.top, other.right, other.bottom);
    }

    /** Becomes the smallest that holds both. */
    public void union(int left, int top, int right, int bottom) {
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

    public void union(Rect other) {
        union(other.left, other.top, other.right, other.bottom);
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Rect)) {
            return false;
        }
        Rect rect = (Rect) other;
        return left == rect.left && top == rect.top && right == rect.right && bottom == rect.bottom;
    }

    @Override
    public int hashCode() {
        return 31 * (31 * (31 * left + top) + right) + bottom;
    }

    @Override
    public String toString() {
        return "Rect(" + left + ", " + top + " - " + right + ", " + bottom + ")";
    }
}

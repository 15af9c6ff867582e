package android.graphics;

/** A place in whole pixels. */
public class Point {
    public int x;
    public int y;

    public Point() {
    }

    public Point(int x, int y) {
        set(x, y);
    }

    public Point(Point other) {
        set(other.x, other.y);
    }

    public void set(int x, int y) {
        this.x = x;
        this.y = y;
    }

    public final void offset(int byX, int byY) {
        x += byX;
        y += byY;
    }

    public final boolean equals(int x, int y) {
        return this.x == x && this.y == y;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Point && equals(((Point) other).x, ((Point) other).y);
    }

    @Override
    public int hashCode() {
        return 31 * x + y;
    }

    @Override
    public String toString() {
        return "Point(" + x + ", " + y + ")";
    }
}

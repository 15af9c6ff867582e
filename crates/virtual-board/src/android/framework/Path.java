package android.graphics;

/** Lines and curves; of what they are made is not kept, since nobody sees them. */
public class Path {
    private boolean empty = true;

    /** Which way round a closed one goes. */
    public enum Direction { CW, CCW }

    public Path() {
    }

    public Path(Path other) {
        empty = other.empty;
    }

    public void reset() {
        empty = true;
    }

    public void rewind() {
        empty = true;
    }

    public boolean isEmpty() {
        return empty;
    }

    public void moveTo(float x, float y) {
        empty = false;
    }

    public void lineTo(float x, float y) {
        empty = false;
    }

    public void quadTo(float x1, float y1, float x2, float y2) {
        empty = false;
    }

    public void cubicTo(float x1, float y1, float x2, float y2, float x3, float y3) {
        empty = false;
    }

    public void close() {
    }

    public void addCircle(float x, float y, float radius, Direction direction) {
        empty &= radius <= 0;
    }

    public void addRect(RectF rect, Direction direction) {
        empty = false;
    }

    public void addRect(float left, float top, float right, float bottom, Direction direction) {
        empty = false;
    }
}

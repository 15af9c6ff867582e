package android.graphics;

/** What views draw on: nothing, since nobody sees it. Each call costs what a library function does. */
public class Canvas {
    private final int width;
    private final int height;
    private int saves = 1;

    public Canvas() {
        this(0, 0);
    }

    /** Hidden: of a screen. */
    public Canvas(int width, int height) {
        this.width = width;
        this.height = height;
    }

    public int getWidth() {
        return width;
    }

    public int getHeight() {
        return height;
    }

    public boolean isHardwareAccelerated() {
        return false;
    }

    public int save() {
        return saves++;
    }

    public void restore() {
        if (saves <= 1) {
            throw new IllegalStateException("Underflow in restore - more restores than saves");
        }
        saves--;
    }

    public int getSaveCount() {
        return saves;
    }

    public void restoreToCount(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("Underflow in restoreToCount - more restores than saves");
        }
        saves = Math.min(saves, count);
    }

    public void translate(float byX, float byY) {
    }

    public void scale(float x, float y) {
    }

    public final void scale(float x, float y, float aroundX, float aroundY) {
    }

    public void rotate(float degrees) {
    }

    public final void rotate(float degrees, float aroundX, float aroundY) {
    }

    public void skew(float x, float y) {
    }

    /** Whether there is something to draw on, in a part that has a size. */
    private boolean isLeft(boolean hasSize) {
        return hasSize && width > 0 && height > 0;
    }

    public boolean clipRect(float left, float top, float right, float bottom) {
        return isLeft(left < right && top < bottom);
    }

    public boolean clipRect(int left, int top, int right, int bottom) {
        return isLeft(left < right && top < bottom);
    }

    public boolean clipRect(Rect rect) {
        return isLeft(!rect.isEmpty());
    }

    public void drawColor(int color) {
    }

    public void drawARGB(int alpha, int red, int green, int blue) {
    }

    public void drawRGB(int red, int green, int blue) {
    }

    public void drawPaint(Paint paint) {
    }

    public void drawPoint(float x, float y, Paint paint) {
    }

    public void drawPoints(float[] points, Paint paint) {
    }

    public void drawLine(float fromX, float fromY, float toX, float toY, Paint paint) {
    }

    public void drawLines(float[] points, Paint paint) {
    }

    public void drawLines(float[] points, int offset, int count, Paint paint) {
    }

    public void drawRect(float left, float top, float right, float bottom, Paint paint) {
    }

    public void drawRect(Rect rect, Paint paint) {
    }

    public void drawRect(RectF rect, Paint paint) {
    }

    public void drawRoundRect(RectF rect, float radiusX, float radiusY, Paint paint) {
    }

    public void drawOval(RectF oval, Paint paint) {
    }

    public void drawArc(RectF oval, float from, float by, boolean toCenter, Paint paint) {
    }

    public void drawCircle(float x, float y, float radius, Paint paint) {
    }

    public void drawPath(Path path, Paint paint) {
    }

    public void drawText(String text, float x, float y, Paint paint) {
    }

    public void drawText(String text, int start, int end, float x, float y, Paint paint) {
    }
}

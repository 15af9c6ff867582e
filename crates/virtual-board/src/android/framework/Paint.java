package android.graphics;

/** How something is drawn. */
public class Paint {
    public static final int ANTI_ALIAS_FLAG = 1;
    public static final int FILTER_BITMAP_FLAG = 2;
    public static final int DITHER_FLAG = 4;

    private static final float TEXT_SIZE = 12;
    /** Letters have the widths of no font: half of their height each. */
    private static final float LETTER = 0.5f;

    private int flags;
    private int color = Color.BLACK;
    private Style style = Style.FILL;
    private Cap cap = Cap.BUTT;
    private Join join = Join.MITER;
    private Align align = Align.LEFT;
    private float strokeWidth;
    private float textSize = TEXT_SIZE;

    /** What of a shape is drawn. */
    public enum Style { FILL, STROKE, FILL_AND_STROKE }

    /** How lines end. */
    public enum Cap { BUTT, ROUND, SQUARE }

    /** How lines meet. */
    public enum Join { MITER, ROUND, BEVEL }

    /** On which side of its place a text is. */
    public enum Align { LEFT, CENTER, RIGHT }

    public Paint() {
        this(0);
    }

    public Paint(int flags) {
        this.flags = flags;
    }

    public Paint(Paint other) {
        set(other);
    }

    public void set(Paint other) {
        flags = other.flags;
        color = other.color;
        style = other.style;
        cap = other.cap;
        join = other.join;
        align = other.align;
        strokeWidth = other.strokeWidth;
        textSize = other.textSize;
    }

    public int getFlags() {
        return flags;
    }

    public void setFlags(int flags) {
        this.flags = flags;
    }

    public final boolean isAntiAlias() {
        return (flags & ANTI_ALIAS_FLAG) != 0;
    }

    public void setAntiAlias(boolean on) {
        flags = on ? flags | ANTI_ALIAS_FLAG : flags & ~ANTI_ALIAS_FLAG;
    }

    public void setDither(boolean on) {
        flags = on ? flags | DITHER_FLAG : flags & ~DITHER_FLAG;
    }

    public int getColor() {
        return color;
    }

    public void setColor(int color) {
        this.color = color;
    }

    public int getAlpha() {
        return Color.alpha(color);
    }

    public void setAlpha(int alpha) {
        color = color & 0xffffff | alpha << 24;
    }

    public void setARGB(int alpha, int red, int green, int blue) {
        color = Color.argb(alpha, red, green, blue);
    }

    public Style getStyle() {
        return style;
    }

    public void setStyle(Style style) {
        this.style = style;
    }

    public float getStrokeWidth() {
        return strokeWidth;
    }

    public void setStrokeWidth(float width) {
        strokeWidth = width < 0 ? strokeWidth : width;
    }

    public Cap getStrokeCap() {
        return cap;
    }

    public void setStrokeCap(Cap cap) {
        this.cap = cap;
    }

    public Join getStrokeJoin() {
        return join;
    }

    public void setStrokeJoin(Join join) {
        this.join = join;
    }

    public Align getTextAlign() {
        return align;
    }

    public void setTextAlign(Align align) {
        this.align = align;
    }

    public float getTextSize() {
        return textSize;
    }

    public void setTextSize(float size) {
        textSize = size < 0 ? textSize : size;
    }

    public float measureText(String text) {
        return text.length() * textSize * LETTER;
    }

    public float ascent() {
        return -textSize;
    }

    public float descent() {
        return textSize / 4;
    }
}

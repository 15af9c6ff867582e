package android.widget;

import android.content.Context;
import android.graphics.Canvas;
import android.graphics.Paint;
import android.util.AttributeSet;
import android.view.View;

/** Text in lines; letters are as wide as those of the board's paint. */
public class TextView extends View {
    private final Paint paint = new Paint();
    private CharSequence text = "";

    public TextView(Context context) {
        this(context, null);
    }

    public TextView(Context context, AttributeSet attributes) {
        super(context, attributes);
        paint.setTextSize(14);
    }

    public CharSequence getText() {
        return text;
    }

    public final void setText(CharSequence text) {
        this.text = text == null ? "" : text;
        requestLayout();
        invalidate();
    }

    public final void setText(int id) {
        setText(getContext().getText(id));
    }

    public float getTextSize() {
        return paint.getTextSize();
    }

    public void setTextSize(float size) {
        paint.setTextSize(size);
        requestLayout();
    }

    public void setTextColor(int color) {
        paint.setColor(color);
        invalidate();
    }

    @Override
    protected void onMeasure(int widthSpec, int heightSpec) {
        String[] lines = text.toString().split("\n", -1);
        float width = 0;
        for (String line : lines) {
            width = Math.max(width, paint.measureText(line));
        }
        int across = (int) Math.ceil(width) + getPaddingLeft() + getPaddingRight();
        int down = (int) Math.ceil(lines.length * lineHeight()) + getPaddingTop() + getPaddingBottom();
        setMeasuredDimension(resolveSize(Math.max(across, getSuggestedMinimumWidth()), widthSpec),
                resolveSize(Math.max(down, getSuggestedMinimumHeight()), heightSpec));
    }

    private float lineHeight() {
        return paint.descent() - paint.ascent();
    }

    @Override
    protected void onDraw(Canvas canvas) {
        float y = getPaddingTop() - paint.ascent();
        for (String line : text.toString().split("\n", -1)) {
            canvas.drawText(line, getPaddingLeft(), y, paint);
            y += lineHeight();
        }
    }
}

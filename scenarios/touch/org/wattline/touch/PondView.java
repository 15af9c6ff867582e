package org.wattline.touch;

import android.content.Context;
import android.graphics.Canvas;
import android.graphics.Color;
import android.graphics.Paint;
import android.graphics.RectF;
import android.view.MotionEvent;
import android.view.View;

/** Draws a pond, and tells it where it is touched. */
public class PondView extends View {
    private static final int DEEP = Color.rgb(8, 32, 64);
    private static final float SHINE = 0.4f;
    private static final float TEXT_SIZE = 24;

    private final Paint bubblePaint = new Paint(Paint.ANTI_ALIAS_FLAG);
    private final Paint strokePaint = new Paint(Paint.ANTI_ALIAS_FLAG);
    private final Paint textPaint = new Paint(Paint.ANTI_ALIAS_FLAG);
    private final RectF shine = new RectF();
    private final float[] hsv = new float[3];
    private final Pond pond;

    public PondView(Context context, Pond pond) {
        super(context);
        this.pond = pond;
        bubblePaint.setStyle(Paint.Style.FILL);
        strokePaint.setStyle(Paint.Style.STROKE);
        strokePaint.setStrokeCap(Paint.Cap.ROUND);
        textPaint.setColor(Color.WHITE);
        textPaint.setTextSize(TEXT_SIZE);
        setBackgroundColor(DEEP);
    }

    @Override
    protected void onSizeChanged(int w, int h, int oldw, int oldh) {
        super.onSizeChanged(w, h, oldw, oldh);
        pond.resize(w, h);
    }

    @Override
    protected void onDraw(Canvas canvas) {
        super.onDraw(canvas);
        drawStroke(canvas);
        for (int i = 0; i < pond.size(); i++) {
            drawBubble(canvas, pond.bubble(i));
        }
        String score = pond.popped() + " popped, " + pond.size() + " left";
        canvas.drawText(score, getWidth() - textPaint.measureText(score) - TEXT_SIZE, TEXT_SIZE, textPaint);
    }

    private void drawBubble(Canvas canvas, Bubble bubble) {
        float speed = (float) Math.sqrt(bubble.vx * bubble.vx + bubble.vy * bubble.vy);
        hsv[0] = (bubble.hue + 20 * speed) % 360;
        hsv[1] = Math.min(1, 0.3f + 0.1f * speed);
        hsv[2] = 0.9f;
        bubblePaint.setColor(Color.HSVToColor(hsv));
        canvas.drawCircle(bubble.x, bubble.y, bubble.radius, bubblePaint);
        float edge = bubble.radius * SHINE;
        shine.set(bubble.x - edge, bubble.y - edge, bubble.x, bubble.y);
        bubblePaint.setColor(Color.argb(128, 255, 255, 255));
        canvas.drawOval(shine, bubblePaint);
    }

    private void drawStroke(Canvas canvas) {
        Stroke stroke = pond.stroke();
        for (int i = 1; i < stroke.size(); i++) {
            int age = stroke.age(i);
            strokePaint.setColor(Color.argb(Math.max(0, 200 - 4 * age), 160, 220, 255));
            strokePaint.setStrokeWidth(Math.max(1, 12 - age / 5f));
            canvas.drawLine(stroke.x(i - 1), stroke.y(i - 1), stroke.x(i), stroke.y(i), strokePaint);
        }
    }

    @Override
    public boolean onTouchEvent(MotionEvent event) {
        float x = event.getX();
        float y = event.getY();
        switch (event.getActionMasked()) {
            case MotionEvent.ACTION_DOWN:
                pond.touch(x, y);
                break;
            case MotionEvent.ACTION_MOVE:
                pond.stir(x, y);
                break;
            case MotionEvent.ACTION_UP:
                pond.release();
                break;
            default:
                return super.onTouchEvent(event);
        }
        invalidate();
        return true;
    }
}

package android.widget;

import android.content.Context;
import android.util.AttributeSet;
import android.view.View;
import android.view.ViewGroup;

/** Views beside or below each other; what room is left goes to those with a weight. */
public class LinearLayout extends ViewGroup {
    public static final int HORIZONTAL = 0;
    public static final int VERTICAL = 1;

    private int orientation = HORIZONTAL;

    /** With a share of the room that is left. */
    public static class LayoutParams extends MarginLayoutParams {
        public float weight;

        public LayoutParams(int width, int height) {
            super(width, height);
        }

        public LayoutParams(int width, int height, float weight) {
            super(width, height);
            this.weight = weight;
        }
    }

    public LinearLayout(Context context) {
        super(context);
    }

    public LinearLayout(Context context, AttributeSet attributes) {
        super(context, attributes);
    }

    @Override
    public MarginLayoutParams paramsOf(int width, int height) {
        return new LayoutParams(width, height);
    }

    @Override
    protected ViewGroup.LayoutParams generateDefaultLayoutParams() {
        int wrap = ViewGroup.LayoutParams.WRAP_CONTENT;
        return paramsOf(orientation == VERTICAL ? ViewGroup.LayoutParams.MATCH_PARENT : wrap, wrap);
    }

    public int getOrientation() {
        return orientation;
    }

    public void setOrientation(int orientation) {
        this.orientation = orientation;
        requestLayout();
    }

    @Override
    protected void onMeasure(int widthSpec, int heightSpec) {
        boolean down = orientation == VERTICAL;
        int along = 0;
        int across = 0;
        float weights = 0;
        for (int i = 0; i < getChildCount(); i++) {
            View child = getChildAt(i);
            if (child.getVisibility() != GONE) {
                weights += weight(child);
                // With weights, the others are asked how large they would be alone.
                int used = weights == 0 ? along : 0;
                measureChildWithMargins(child, widthSpec, down ? 0 : used, heightSpec, down ? used : 0);
                along += length(child, down);
                across = Math.max(across, length(child, !down));
            }
        }
        int width = (down ? across : along) + getPaddingLeft() + getPaddingRight();
        int height = (down ? along : across) + getPaddingTop() + getPaddingBottom();
        setMeasuredDimension(resolveSize(Math.max(width, getSuggestedMinimumWidth()), widthSpec),
                resolveSize(Math.max(height, getSuggestedMinimumHeight()), heightSpec));
        int left = down ? getMeasuredHeight() - height : getMeasuredWidth() - width;
        boolean isExact = MeasureSpec.getMode(down ? heightSpec : widthSpec) == MeasureSpec.EXACTLY;
        if (weights > 0 && isExact && left != 0) {
            share(left, weights, widthSpec, heightSpec);
        }
    }

    private void share(int room, float weights, int widthSpec, int heightSpec) {
        boolean down = orientation == VERTICAL;
        float rest = weights;
        int left = room;
        for (int i = 0; i < getChildCount(); i++) {
            View child = getChildAt(i);
            float weight = weight(child);
            if (child.getVisibility() == GONE || weight <= 0) {
                continue;
            }
            int more = (int) (weight * left / rest);
            left -= more;
            rest -= weight;
            int size = Math.max(0, (down ? child.getMeasuredHeight() : child.getMeasuredWidth()) + more);
            int along = MeasureSpec.makeMeasureSpec(size, MeasureSpec.EXACTLY);
            MarginLayoutParams of = marginsOf(child);
            if (down) {
                int used = getPaddingLeft() + getPaddingRight() + of.leftMargin + of.rightMargin;
                child.measure(getChildMeasureSpec(widthSpec, used, of.width), along);
            } else {
                int used = getPaddingTop() + getPaddingBottom() + of.topMargin + of.bottomMargin;
                child.measure(along, getChildMeasureSpec(heightSpec, used, of.height));
            }
        }
    }

    @Override
    protected void onLayout(boolean changed, int left, int top, int right, int bottom) {
        int x = getPaddingLeft();
        int y = getPaddingTop();
        for (int i = 0; i < getChildCount(); i++) {
            View child = getChildAt(i);
            if (child.getVisibility() != GONE) {
                MarginLayoutParams of = marginsOf(child);
                int atX = x + of.leftMargin;
                int atY = y + of.topMargin;
                child.layout(atX, atY, atX + child.getMeasuredWidth(), atY + child.getMeasuredHeight());
                x += orientation == VERTICAL ? 0 : length(child, false);
                y += orientation == VERTICAL ? length(child, true) : 0;
            }
        }
    }

    private static int length(View child, boolean down) {
        MarginLayoutParams of = marginsOf(child);
        return down ? child.getMeasuredHeight() + of.topMargin + of.bottomMargin
                : child.getMeasuredWidth() + of.leftMargin + of.rightMargin;
    }

    private static float weight(View child) {
        ViewGroup.LayoutParams params = child.getLayoutParams();
        return params instanceof LayoutParams ? ((LayoutParams) params).weight : 0;
    }
}

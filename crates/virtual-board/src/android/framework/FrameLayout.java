package android.widget;

import android.content.Context;
import android.util.AttributeSet;
import android.view.View;
import android.view.ViewGroup;

/** Views over each other, all at the upper left. */
public class FrameLayout extends ViewGroup {
    /** Of a view in it. */
    public static class LayoutParams extends MarginLayoutParams {
        public LayoutParams(int width, int height) {
            super(width, height);
        }
    }

    public FrameLayout(Context context) {
        super(context);
    }

    public FrameLayout(Context context, AttributeSet attributes) {
        super(context, attributes);
    }

    @Override
    public MarginLayoutParams paramsOf(int width, int height) {
        return new LayoutParams(width, height);
    }

    @Override
    protected ViewGroup.LayoutParams generateDefaultLayoutParams() {
        return paramsOf(LayoutParams.MATCH_PARENT, LayoutParams.MATCH_PARENT);
    }

    @Override
    protected void onMeasure(int widthSpec, int heightSpec) {
        int width = 0;
        int height = 0;
        for (int i = 0; i < getChildCount(); i++) {
            View child = getChildAt(i);
            if (child.getVisibility() != GONE) {
                measureChildWithMargins(child, widthSpec, 0, heightSpec, 0);
                MarginLayoutParams of = marginsOf(child);
                width = Math.max(width, child.getMeasuredWidth() + of.leftMargin + of.rightMargin);
                height = Math.max(height, child.getMeasuredHeight() + of.topMargin + of.bottomMargin);
            }
        }
        width = Math.max(width + getPaddingLeft() + getPaddingRight(), getSuggestedMinimumWidth());
        height = Math.max(height + getPaddingTop() + getPaddingBottom(), getSuggestedMinimumHeight());
        setMeasuredDimension(resolveSize(width, widthSpec), resolveSize(height, heightSpec));
    }

    @Override
    protected void onLayout(boolean changed, int left, int top, int right, int bottom) {
        for (int i = 0; i < getChildCount(); i++) {
            View child = getChildAt(i);
            if (child.getVisibility() != GONE) {
                MarginLayoutParams of = marginsOf(child);
                int x = getPaddingLeft() + of.leftMargin;
                int y = getPaddingTop() + of.topMargin;
                child.layout(x, y, x + child.getMeasuredWidth(), y + child.getMeasuredHeight());
            }
        }
    }
}

package android.view;

import android.content.Context;
import android.graphics.Canvas;
import android.util.AttributeSet;
import java.util.ArrayList;
import java.util.List;

/** A view of several, each at its place. */
public abstract class ViewGroup extends View {
    private final List<View> children = new ArrayList<>();
    /** The one that a finger came down on, until that is gone. */
    private View touched;

    /** What a view asks of its group: its sizes. */
    public static class LayoutParams {
        public static final int MATCH_PARENT = -1;
        public static final int FILL_PARENT = -1;
        public static final int WRAP_CONTENT = -2;

        public int width;
        public int height;

        public LayoutParams(int width, int height) {
            this.width = width;
            this.height = height;
        }
    }

    /** With room around the view. */
    public static class MarginLayoutParams extends LayoutParams {
        public int leftMargin;
        public int topMargin;
        public int rightMargin;
        public int bottomMargin;

        public MarginLayoutParams(int width, int height) {
            super(width, height);
        }

        public void setMargins(int left, int top, int right, int bottom) {
            leftMargin = left;
            topMargin = top;
            rightMargin = right;
            bottomMargin = bottom;
        }
    }

    public ViewGroup(Context context) {
        super(context);
    }

    public ViewGroup(Context context, AttributeSet attributes) {
        super(context, attributes);
    }

    /** Hidden: those of a view that says its sizes alone. */
    public MarginLayoutParams paramsOf(int width, int height) {
        return new MarginLayoutParams(width, height);
    }

    /** Those of a view that says nothing. */
    protected LayoutParams generateDefaultLayoutParams() {
        return paramsOf(LayoutParams.WRAP_CONTENT, LayoutParams.WRAP_CONTENT);
    }

    @Override
    protected abstract void onLayout(boolean changed, int left, int top, int right, int bottom);

    public void addView(View child) {
        addView(child, -1);
    }

    public void addView(View child, int index) {
        LayoutParams params = child.getLayoutParams();
        addView(child, index, params == null ? generateDefaultLayoutParams() : params);
    }

    public void addView(View child, LayoutParams params) {
        addView(child, -1, params);
    }

    public void addView(View child, int index, LayoutParams params) {
        if (child.group() != null) {
            throw new IllegalStateException(
                    "The specified child already has a parent. You must call removeView() on the child's parent first.");
        }
        child.setLayoutParams(params);
        child.setParent(this);
        children.add(index < 0 ? children.size() : index, child);
        if (root() != null) {
            child.attach(root());
        }
        requestLayout();
        invalidate();
    }

    public void removeView(View child) {
        if (children.remove(child)) {
            child.detach();
            child.setParent(null);
            touched = touched == child ? null : touched;
            requestLayout();
            invalidate();
        }
    }

    public void removeAllViews() {
        new ArrayList<>(children).forEach(this::removeView);
    }

    public int getChildCount() {
        return children.size();
    }

    public View getChildAt(int index) {
        return index >= 0 && index < children.size() ? children.get(index) : null;
    }

    public int indexOfChild(View child) {
        return children.indexOf(child);
    }

    @Override
    View find(int id) {
        View found = super.find(id);
        for (int i = 0; found == null && i < children.size(); i++) {
            found = children.get(i).find(id);
        }
        return found;
    }

    @Override
    void attach(ViewRoot root) {
        super.attach(root);
        new ArrayList<>(children).forEach(child -> child.attach(root));
    }

    @Override
    void detach() {
        new ArrayList<>(children).forEach(View::detach);
        super.detach();
    }

    @Override
    public void dispatchWindowFocusChanged(boolean has) {
        super.dispatchWindowFocusChanged(has);
        new ArrayList<>(children).forEach(child -> child.dispatchWindowFocusChanged(has));
    }

    @Override
    boolean takeFocus() {
        return super.takeFocus() || getVisibility() == VISIBLE && children.stream().anyMatch(View::takeFocus);
    }

    @Override
    public boolean hasFocus() {
        return super.hasFocus() || children.stream().anyMatch(View::hasFocus);
    }

    /** To the one with the focus, then to the group itself. */
    @Override
    public boolean dispatchKeyEvent(KeyEvent event) {
        for (View child : new ArrayList<>(children)) {
            if (child.hasFocus()) {
                return child.dispatchKeyEvent(event);
            }
        }
        return super.dispatchKeyEvent(event);
    }

    /** Whether the group keeps a finger from the views in it. */
    public boolean onInterceptTouchEvent(MotionEvent event) {
        return false;
    }

    /** To the topmost view below the finger that wants it, then to the group itself. */
    @Override
    public boolean dispatchTouchEvent(MotionEvent event) {
        boolean isDown = event.getActionMasked() == MotionEvent.ACTION_DOWN;
        if (isDown) {
            touched = null;
        }
        boolean isKept = (isDown || touched != null) && onInterceptTouchEvent(event);
        if (isKept && touched != null) {
            cancel(event);
        }
        for (int i = children.size() - 1; isDown && !isKept && touched == null && i >= 0; i--) {
            View child = children.get(i);
            if (send(event, child, true)) {
                touched = child;
            }
        }
        if (touched == null) {
            return super.dispatchTouchEvent(event);
        }
        boolean isTaken = isDown || send(event, touched, false);
        if (event.getActionMasked() == MotionEvent.ACTION_UP || event.getActionMasked() == MotionEvent.ACTION_CANCEL) {
            touched = null;
        }
        return isTaken;
    }

    private void cancel(MotionEvent event) {
        int action = event.getAction();
        event.setAction(MotionEvent.ACTION_CANCEL);
        send(event, touched, false);
        event.setAction(action);
        touched = null;
    }

    /** In the view's own coordinates. */
    private static boolean send(MotionEvent event, View child, boolean ifUnder) {
        event.offsetLocation(-child.getLeft(), -child.getTop());
        boolean taken = (!ifUnder || child.isUnder(event)) && child.dispatchTouchEvent(event);
        event.offsetLocation(child.getLeft(), child.getTop());
        return taken;
    }

    @Override
    protected void dispatchDraw(Canvas canvas) {
        for (View child : new ArrayList<>(children)) {
            child.takeInvalid();
            if (child.getVisibility() == VISIBLE) {
                int save = canvas.save();
                canvas.translate(child.getLeft(), child.getTop());
                child.draw(canvas);
                canvas.restoreToCount(save);
            }
        }
    }

    protected void measureChildWithMargins(View child, int widthSpec, int usedWidth, int heightSpec, int usedHeight) {
        MarginLayoutParams of = marginsOf(child);
        int across = getPaddingLeft() + getPaddingRight() + of.leftMargin + of.rightMargin + usedWidth;
        int down = getPaddingTop() + getPaddingBottom() + of.topMargin + of.bottomMargin + usedHeight;
        child.measure(getChildMeasureSpec(widthSpec, across, of.width), getChildMeasureSpec(heightSpec, down, of.height));
    }

    /** Hidden: those of a view without margins, too. */
    protected static MarginLayoutParams marginsOf(View child) {
        LayoutParams params = child.getLayoutParams();
        return params instanceof MarginLayoutParams
                ? (MarginLayoutParams) params : new MarginLayoutParams(params.width, params.height);
    }

    public static int getChildMeasureSpec(int spec, int used, int wanted) {
        int mode = MeasureSpec.getMode(spec);
        int room = Math.max(0, MeasureSpec.getSize(spec) - used);
        if (wanted >= 0) {
            return MeasureSpec.makeMeasureSpec(wanted, MeasureSpec.EXACTLY);
        }
        if (mode == MeasureSpec.UNSPECIFIED) {
            return MeasureSpec.makeMeasureSpec(0, MeasureSpec.UNSPECIFIED);
        }
        boolean fills = wanted == LayoutParams.MATCH_PARENT && mode == MeasureSpec.EXACTLY;
        return MeasureSpec.makeMeasureSpec(room, fills ? MeasureSpec.EXACTLY : MeasureSpec.AT_MOST);
    }
}

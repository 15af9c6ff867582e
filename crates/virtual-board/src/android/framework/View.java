package android.view;

import android.content.Context;
import android.content.res.Resources;
import android.graphics.Canvas;
import android.graphics.Rect;
import android.os.Handler;
import android.os.Looper;
import android.util.AttributeSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What is drawn and touched: the view of a window, which fills it, or one of a group's. */
public class View implements KeyEvent.Callback {
    public static final int NO_ID = -1;
    public static final int VISIBLE = 0;
    public static final int INVISIBLE = 4;
    public static final int GONE = 8;
    public static final int LAYER_TYPE_NONE = 0;
    public static final int LAYER_TYPE_SOFTWARE = 1;
    public static final int LAYER_TYPE_HARDWARE = 2;
    public static final int SYSTEM_UI_FLAG_FULLSCREEN = 4;
    public static final int SYSTEM_UI_FLAG_HIDE_NAVIGATION = 2;
    public static final int SYSTEM_UI_FLAG_LOW_PROFILE = 1;

    /** How far beyond its view a finger may go and still click. */
    private static final float TOUCH_SLOP = 8;

    private final Handler handler = new Handler(Looper.getMainLooper());
    private final List<Map.Entry<Runnable, Long>> waiting = new ArrayList<>();
    private final Context context;
    private ViewRoot root;
    private ViewGroup parent;
    private ViewGroup.LayoutParams params;
    private int id = NO_ID;
    private Object tag;
    private int visibility = VISIBLE;
    private boolean enabled = true;
    private boolean clickable;
    private boolean focusable;
    private boolean focusableInTouchMode;
    private boolean focused;
    private boolean pressed;
    private boolean invalid;
    private boolean keepScreenOn;
    private int left;
    private int top;
    private int right;
    private int bottom;
    private int[] padding = new int[4];
    private int measuredWidth;
    private int measuredHeight;
    private int minimumWidth;
    private int minimumHeight;
    private int backgroundColor;
    private OnTouchListener onTouch;
    private OnKeyListener onKey;
    private OnClickListener onClick;

    /** Hears of touches before the view does. */
    public interface OnTouchListener {
        boolean onTouch(View view, MotionEvent event);
    }

    /** Hears of keys before the view does. */
    public interface OnKeyListener {
        boolean onKey(View view, int code, KeyEvent event);
    }

    /** Hears of clicks. */
    public interface OnClickListener {
        void onClick(View view);
    }

    /** A size, and how it is meant, in one number. */
    public static class MeasureSpec {
        public static final int UNSPECIFIED = 0;
        public static final int EXACTLY = 1 << 30;
        public static final int AT_MOST = 2 << 30;
        private static final int MODE = 3 << 30;

        public MeasureSpec() {
        }

        public static int makeMeasureSpec(int size, int mode) {
            return size & ~MODE | mode & MODE;
        }

        public static int getMode(int spec) {
            return spec & MODE;
        }

        public static int getSize(int spec) {
            return spec & ~MODE;
        }
    }

    public View(Context context) {
        this.context = context;
    }

    public View(Context context, AttributeSet attributes) {
        this(context);
    }

    public View(Context context, AttributeSet attributes, int style) {
        this(context);
    }

    /** Its group, from then on; none when it has left it. */
    final void setParent(ViewGroup parent) {
        this.parent = parent;
    }

    final ViewRoot root() {
        return root;
    }

    final ViewGroup group() {
        return parent;
    }

    public ViewGroup.LayoutParams getLayoutParams() {
        return params;
    }

    public void setLayoutParams(ViewGroup.LayoutParams params) {
        this.params = params;
        requestLayout();
    }

    void attach(ViewRoot root) {
        this.root = root;
        invalid = true;
        waiting.forEach(work -> handler.postDelayed(work.getKey(), work.getValue()));
        waiting.clear();
        onAttachedToWindow();
        onVisibilityChanged(this, visibility);
    }

    void detach() {
        if (root != null) {
            onDetachedFromWindow();
            root = null;
        }
    }

    protected void onAttachedToWindow() {
    }

    protected void onDetachedFromWindow() {
    }

    public void dispatchWindowFocusChanged(boolean has) {
        onWindowFocusChanged(has);
    }

    public void onWindowFocusChanged(boolean has) {
    }

    protected void onVisibilityChanged(View changed, int visibility) {
    }

    public final Context getContext() {
        return context;
    }

    public Resources getResources() {
        return context.getResources();
    }

    public Handler getHandler() {
        return root == null ? null : handler;
    }

    public boolean isAttachedToWindow() {
        return root != null;
    }

    public int getId() {
        return id;
    }

    public void setId(int id) {
        this.id = id;
    }

    public Object getTag() {
        return tag;
    }

    public void setTag(Object tag) {
        this.tag = tag;
    }

    @SuppressWarnings("unchecked")
    public final <T extends View> T findViewById(int id) {
        return id == NO_ID ? null : (T) find(id);
    }

    /** The one of that number, here or below; null if there is none. */
    View find(int id) {
        return id == this.id ? this : null;
    }

    public int getVisibility() {
        return visibility;
    }

    public void setVisibility(int visibility) {
        if (visibility != this.visibility) {
            this.visibility = visibility;
            focused &= visibility == VISIBLE;
            if (root != null) {
                onVisibilityChanged(this, visibility);
            }
            if (parent != null) {
                requestLayout();
            }
            invalidate();
        }
    }

    public boolean isShown() {
        return root != null && visibility == VISIBLE;
    }

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
        focused &= enabled;
    }

    public boolean isClickable() {
        return clickable;
    }

    public void setClickable(boolean clickable) {
        this.clickable = clickable;
    }

    public boolean isPressed() {
        return pressed;
    }

    public void setPressed(boolean pressed) {
        this.pressed = pressed;
    }

    public void setKeepScreenOn(boolean keep) {
        keepScreenOn = keep;
    }

    public boolean getKeepScreenOn() {
        return keepScreenOn;
    }

    public void setSystemUiVisibility(int flags) {
    }

    public void setLayerType(int type, android.graphics.Paint paint) {
    }

    public void setWillNotDraw(boolean not) {
    }

    // Focus

    public final boolean isFocusable() {
        return focusable;
    }

    public void setFocusable(boolean focusable) {
        this.focusable = focusable;
        focusableInTouchMode &= focusable;
        focused &= focusable;
    }

    public final boolean isFocusableInTouchMode() {
        return focusableInTouchMode;
    }

    public void setFocusableInTouchMode(boolean focusable) {
        focusableInTouchMode = focusable;
        this.focusable |= focusable;
    }

    public final boolean requestFocus() {
        return takeFocus();
    }

    /** Whether it, or one below it, has the focus now. */
    boolean takeFocus() {
        focused = focusable && enabled && visibility == VISIBLE;
        return focused;
    }

    public boolean isFocused() {
        return focused;
    }

    public boolean hasFocus() {
        return focused;
    }

    // Size and place

    public final int getWidth() {
        return right - left;
    }

    public final int getHeight() {
        return bottom - top;
    }

    public final int getLeft() {
        return left;
    }

    public final int getTop() {
        return top;
    }

    public final int getRight() {
        return right;
    }

    public final int getBottom() {
        return bottom;
    }

    public float getX() {
        return left;
    }

    public float getY() {
        return top;
    }

    public int getPaddingLeft() {
        return padding[0];
    }

    public int getPaddingTop() {
        return padding[1];
    }

    public int getPaddingRight() {
        return padding[2];
    }

    public int getPaddingBottom() {
        return padding[3];
    }

    public void setPadding(int left, int top, int right, int bottom) {
        padding = new int[] {left, top, right, bottom};
        requestLayout();
    }

    public void getLocationOnScreen(int[] place) {
        place[0] = left;
        place[1] = top;
        for (View at = parent; at != null; at = at.parent) {
            place[0] += at.left;
            place[1] += at.top;
        }
    }

    public void getDrawingRect(Rect rect) {
        rect.set(0, 0, getWidth(), getHeight());
    }

    public void setMinimumWidth(int width) {
        minimumWidth = width;
    }

    public void setMinimumHeight(int height) {
        minimumHeight = height;
    }

    protected int getSuggestedMinimumWidth() {
        return minimumWidth;
    }

    protected int getSuggestedMinimumHeight() {
        return minimumHeight;
    }

    public void requestLayout() {
        if (root != null) {
            root.requestLayout();
        }
    }

    public final void measure(int widthSpec, int heightSpec) {
        measuredWidth = -1;
        onMeasure(widthSpec, heightSpec);
        if (measuredWidth < 0) {
            throw new IllegalStateException(
                    getClass().getName() + "#onMeasure() did not set the measured dimension by calling setMeasuredDimension()");
        }
    }

    protected void onMeasure(int widthSpec, int heightSpec) {
        setMeasuredDimension(getDefaultSize(getSuggestedMinimumWidth(), widthSpec),
                getDefaultSize(getSuggestedMinimumHeight(), heightSpec));
    }

    protected final void setMeasuredDimension(int width, int height) {
        measuredWidth = width;
        measuredHeight = height;
    }

    public final int getMeasuredWidth() {
        return measuredWidth;
    }

    public final int getMeasuredHeight() {
        return measuredHeight;
    }

    public static int getDefaultSize(int size, int spec) {
        return MeasureSpec.getMode(spec) == MeasureSpec.UNSPECIFIED ? size : MeasureSpec.getSize(spec);
    }

    public static int resolveSize(int size, int spec) {
        switch (MeasureSpec.getMode(spec)) {
            case MeasureSpec.EXACTLY:
                return MeasureSpec.getSize(spec);
            case MeasureSpec.AT_MOST:
                return Math.min(size, MeasureSpec.getSize(spec));
            default:
                return size;
        }
    }

    public void layout(int left, int top, int right, int bottom) {
        int width = getWidth();
        int height = getHeight();
        boolean changed = left != this.left || top != this.top || right != this.right || bottom != this.bottom;
        this.left = left;
        this.top = top;
        this.right = right;
        this.bottom = bottom;
        if (width != right - left || height != bottom - top) {
            onSizeChanged(right - left, bottom - top, width, height);
        }
        onLayout(changed, left, top, right, bottom);
        invalid |= changed;
    }

    protected void onSizeChanged(int width, int height, int oldWidth, int oldHeight) {
    }

    protected void onLayout(boolean changed, int left, int top, int right, int bottom) {
    }

    // Drawing

    public void setBackgroundColor(int color) {
        backgroundColor = color;
        invalidate();
    }

    public void invalidate() {
        if (root != null) {
            for (View at = this; at != null; at = at.parent) {
                at.invalid = true;
            }
            root.schedule();
        }
    }

    public void invalidate(Rect dirty) {
        invalidate();
    }

    public void invalidate(int left, int top, int right, int bottom) {
        invalidate();
    }

    public void postInvalidate() {
        handler.post(this::invalidate);
    }

    public void postInvalidateDelayed(long millis) {
        handler.postDelayed(this::invalidate, millis);
    }

    /** With the next frame. */
    public void postInvalidateOnAnimation() {
        postOnAnimation(this::invalidate);
    }

    public void postOnAnimation(Runnable work) {
        if (ViewRoot.isMain()) {
            Choreographer.getInstance().postFrameCallback(frame -> work.run());
        } else {
            handler.post(() -> postOnAnimation(work));
        }
    }

    /** Whether there is something to draw; from now on there is not. */
    boolean takeInvalid() {
        boolean was = invalid && visibility == VISIBLE;
        invalid = false;
        return was;
    }

    public void draw(Canvas canvas) {
        if (backgroundColor != 0) {
            canvas.drawColor(backgroundColor);
        }
        onDraw(canvas);
        dispatchDraw(canvas);
    }

    protected void onDraw(Canvas canvas) {
    }

    protected void dispatchDraw(Canvas canvas) {
    }

    // Work on the main thread

    public boolean post(Runnable work) {
        return postDelayed(work, 0);
    }

    /** Before the view has a window, its work waits for that. */
    public boolean postDelayed(Runnable work, long millis) {
        return root == null ? waiting.add(Map.entry(work, millis)) : handler.postDelayed(work, millis);
    }

    public boolean removeCallbacks(Runnable work) {
        waiting.removeIf(one -> one.getKey() == work);
        handler.removeCallbacks(work);
        return true;
    }

    // Input

    public void setOnTouchListener(OnTouchListener listener) {
        onTouch = listener;
    }

    public void setOnKeyListener(OnKeyListener listener) {
        onKey = listener;
    }

    public void setOnClickListener(OnClickListener listener) {
        clickable = true;
        onClick = listener;
    }

    public boolean dispatchTouchEvent(MotionEvent event) {
        return onTouch != null && enabled && onTouch.onTouch(this, event) || onTouchEvent(event);
    }

    /** Whether a finger that comes down there is the view's. */
    boolean isUnder(MotionEvent event) {
        return visibility == VISIBLE && isNear(event, 0);
    }

    private boolean isNear(MotionEvent event, float slop) {
        float x = event.getX();
        float y = event.getY();
        return x >= -slop && y >= -slop && x < getWidth() + slop && y < getHeight() + slop;
    }

    /** A click, where the view takes some, at the finger's end, if that stayed on the view. */
    public boolean onTouchEvent(MotionEvent event) {
        int action = event.getActionMasked();
        if (!enabled && action == MotionEvent.ACTION_UP) {
            setPressed(false);
        }
        if (!clickable || !enabled) {
            return clickable;
        }
        switch (action) {
            case MotionEvent.ACTION_DOWN:
                setPressed(true);
                break;
            case MotionEvent.ACTION_MOVE:
                if (!isNear(event, TOUCH_SLOP)) {
                    setPressed(false);
                }
                break;
            case MotionEvent.ACTION_UP:
                if (pressed) {
                    post(this::performClick);
                    post(() -> setPressed(false));
                }
                break;
            case MotionEvent.ACTION_CANCEL:
                setPressed(false);
                break;
            default:
                break;
        }
        return true;
    }

    public boolean performClick() {
        if (onClick == null) {
            return false;
        }
        onClick.onClick(this);
        return true;
    }

    public boolean dispatchKeyEvent(KeyEvent event) {
        return onKey != null && enabled && onKey.onKey(this, event.getKeyCode(), event) || event.dispatch(this);
    }

    /** Keys that confirm click as a finger does. */
    @Override
    public boolean onKeyDown(int code, KeyEvent event) {
        if (!confirms(code)) {
            return false;
        }
        if (enabled && clickable && event.getRepeatCount() == 0) {
            setPressed(true);
            return true;
        }
        return !enabled;
    }

    @Override
    public boolean onKeyUp(int code, KeyEvent event) {
        if (!confirms(code)) {
            return false;
        }
        if (enabled && clickable && pressed) {
            setPressed(false);
            return performClick();
        }
        return !enabled;
    }

    private static boolean confirms(int code) {
        return code == KeyEvent.KEYCODE_DPAD_CENTER || code == KeyEvent.KEYCODE_ENTER || code == KeyEvent.KEYCODE_SPACE;
    }
}

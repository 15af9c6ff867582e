package android.view;

/** An activity's window: all of the screen, with its content alone. */
public abstract class Window {
    public static final int FEATURE_NO_TITLE = 1;
    public static final int FEATURE_ACTION_BAR = 8;

    private final WindowManager.LayoutParams attributes = new WindowManager.LayoutParams();

    Window() {
    }

    public final WindowManager.LayoutParams getAttributes() {
        return attributes;
    }

    public void setFlags(int flags, int mask) {
        attributes.flags = attributes.flags & ~mask | flags & mask;
    }

    public void addFlags(int flags) {
        setFlags(flags, flags);
    }

    public void clearFlags(int flags) {
        setFlags(0, flags);
    }

    /** Whether there is such a feature: no title is what every window has here. */
    public boolean requestFeature(int feature) {
        return feature == FEATURE_NO_TITLE;
    }
}

package android.content;

/** Names a class of a package. */
public final class ComponentName {
    public ComponentName(Context context, Class<?> type) {}
}

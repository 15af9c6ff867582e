package android.content;

/** Names a class of a package. */
public final class ComponentName {
    private final String type;
    private final String owner;

    public ComponentName(String owner, String type) {
        this.owner = owner;
        this.type = type;
    }

    public ComponentName(Context context, String type) {
        this(context.getPackageName(), type);
    }

    public ComponentName(Context context, Class<?> type) {
        this(context.getPackageName(), type.getName());
    }

    public String getPackageName() {
        return owner;
    }

    public String getClassName() {
        return type;
    }

    public String toShortString() {
        return "{" + owner + "/" + type + "}";
    }

    @Override
    public String toString() {
        return "ComponentInfo" + toShortString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ComponentName && toString().equals(other.toString());
    }

    @Override
    public int hashCode() {
        return owner.hashCode() + type.hashCode();
    }
}

package android.content;

/** Names a class of a package. */
public final class ComponentName {
    private final String type;
    private final String owner;

    public ComponentName(String owner, String type) {
        this.owner = given(owner, "package");
        this.type = given(type, "class");
    }

    public ComponentName(Context context, String type) {
        this(context.getPackageName(), type);
    }

    public ComponentName(Context context, Class<?> type) {
        this(context.getPackageName(), type.getName());
    }

    private static String given(String name, String what) {
        if (name == null) {
            throw new NullPointerException(what + " name is null");
        }
        return name;
    }

    public String flattenToShortString() {
        boolean within = type.startsWith(owner + ".");
        return owner + "/" + (within ? type.substring(owner.length()) : type);
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

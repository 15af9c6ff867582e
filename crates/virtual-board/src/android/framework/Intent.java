package android.content;

import android.os.Bundle;
import android.os.Parcelable;
import java.util.StringJoiner;

/** What is to be done, and by which component; extras go with it. */
public class Intent {
    public static final String ACTION_MAIN = "android.intent.action.MAIN";
    public static final String ACTION_VIEW = "android.intent.action.VIEW";
    public static final String CATEGORY_LAUNCHER = "android.intent.category.LAUNCHER";
    public static final int FLAG_ACTIVITY_NEW_TASK = 0x10000000;

    private String action;
    private ComponentName component;
    private int flags;
    private Bundle extras;

    public Intent() {
    }

    public Intent(String action) {
        this.action = action;
    }

    public Intent(Intent other) {
        action = other.action;
        component = other.component;
        flags = other.flags;
        extras = other.extras == null ? null : new Bundle(other.extras);
    }

    public Intent(Context context, Class<?> type) {
        component = new ComponentName(context, type);
    }

    public String getAction() {
        return action;
    }

    public Intent setAction(String action) {
        this.action = action;
        return this;
    }

    public ComponentName getComponent() {
        return component;
    }

    public Intent setComponent(ComponentName component) {
        this.component = component;
        return this;
    }

    public Intent setClass(Context context, Class<?> type) {
        return setComponent(new ComponentName(context, type));
    }

    public Intent setClassName(String owner, String type) {
        return setComponent(new ComponentName(owner, type));
    }

    public Intent setClassName(Context context, String type) {
        return setComponent(new ComponentName(context, type));
    }

    public int getFlags() {
        return flags;
    }

    public Intent setFlags(int flags) {
        this.flags = flags;
        return this;
    }

    public Intent addFlags(int more) {
        flags |= more;
        return this;
    }

    /** A copy; none if there are no extras. */
    public Bundle getExtras() {
        return extras == null ? null : new Bundle(extras);
    }

    public boolean hasExtra(String name) {
        return extras != null && extras.containsKey(name);
    }

    public Intent putExtras(Bundle more) {
        own().putAll(more);
        return this;
    }

    public Intent putExtra(String name, String value) {
        own().putString(name, value);
        return this;
    }

    public Intent putExtra(String name, int value) {
        own().putInt(name, value);
        return this;
    }

    public Intent putExtra(String name, long value) {
        own().putLong(name, value);
        return this;
    }

    public Intent putExtra(String name, float value) {
        own().putFloat(name, value);
        return this;
    }

    public Intent putExtra(String name, double value) {
        own().putDouble(name, value);
        return this;
    }

    public Intent putExtra(String name, boolean value) {
        own().putBoolean(name, value);
        return this;
    }

    public Intent putExtra(String name, Parcelable value) {
        own().putParcelable(name, value);
        return this;
    }

    public Intent putExtra(String name, int[] value) {
        own().putIntArray(name, value);
        return this;
    }

    public <T extends Parcelable> T getParcelableExtra(String name) {
        return extras == null ? null : extras.getParcelable(name);
    }

    public int[] getIntArrayExtra(String name) {
        return extras == null ? null : extras.getIntArray(name);
    }

    /** Hidden: as it arrives, since Android sends it through a parcel. */
    public Intent sent() {
        Intent sent = new Intent(action).setComponent(component).setFlags(flags);
        sent.extras = extras == null ? null : extras.parcelled();
        return sent;
    }

    public String getStringExtra(String name) {
        return extras == null ? null : extras.getString(name);
    }

    public int getIntExtra(String name, int otherwise) {
        return extras == null ? otherwise : extras.getInt(name, otherwise);
    }

    public long getLongExtra(String name, long otherwise) {
        return extras == null ? otherwise : extras.getLong(name, otherwise);
    }

    public float getFloatExtra(String name, float otherwise) {
        return extras == null ? otherwise : extras.getFloat(name, otherwise);
    }

    public double getDoubleExtra(String name, double otherwise) {
        return extras == null ? otherwise : extras.getDouble(name, otherwise);
    }

    public boolean getBooleanExtra(String name, boolean otherwise) {
        return extras == null ? otherwise : extras.getBoolean(name, otherwise);
    }

    @Override
    public String toString() {
        StringJoiner parts = new StringJoiner(" ", "Intent { ", " }");
        if (action != null) {
            parts.add("act=" + action);
        }
        if (flags != 0) {
            parts.add("flg=0x" + Integer.toHexString(flags));
        }
        if (component != null) {
            parts.add("cmp=" + component.flattenToShortString());
        }
        if (extras != null) {
            parts.add("(has extras)");
        }
        return parts.toString();
    }

    private Bundle own() {
        extras = extras == null ? new Bundle() : extras;
        return extras;
    }
}

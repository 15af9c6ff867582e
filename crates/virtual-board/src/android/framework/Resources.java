package android.content.res;

import android.util.DisplayMetrics;
import java.util.Locale;
import wattline.board.LayoutFile;
import wattline.board.ResourceTable;
import wattline.board.ResourceValue;

/** What is known of the screen, and the package's resources. */
public class Resources {
    private final DisplayMetrics metrics = new DisplayMetrics();
    private final ResourceTable table;

    /** There is no such resource, or one of another type. */
    public static class NotFoundException extends RuntimeException {
        public NotFoundException() {
        }

        public NotFoundException(String name) {
            super(name);
        }
    }

    /** Hidden: those of a package. */
    public Resources(ResourceTable table) {
        this.table = table;
        metrics.setToDefaults();
    }

    public DisplayMetrics getDisplayMetrics() {
        return metrics;
    }

    public CharSequence getText(int id) {
        return getString(id);
    }

    public String getString(int id) {
        return text(value(id, "String resource"), id);
    }

    public String getString(int id, Object... arguments) {
        return String.format(Locale.US, getString(id), arguments);
    }

    public int getInteger(int id) {
        ResourceValue value = value(id, "Resource");
        return checked(value, value.isInt(), id).asInt();
    }

    public boolean getBoolean(int id) {
        ResourceValue value = value(id, "Resource");
        return checked(value, value.isInt(), id).asInt() != 0;
    }

    public int getColor(int id) {
        ResourceValue value = value(id, "Resource");
        return checked(value, value.isInt(), id).asInt();
    }

    public float getDimension(int id) {
        ResourceValue value = value(id, "Resource");
        return checked(value, value.isDimension(), id).asDimension();
    }

    /** Rounded, and one at least of what is not nothing. */
    public int getDimensionPixelSize(int id) {
        float size = getDimension(id);
        int rounded = (int) (size >= 0 ? size + 0.5f : size - 0.5f);
        return rounded != 0 || size == 0 ? rounded : size > 0 ? 1 : -1;
    }

    public String[] getStringArray(int id) {
        ResourceValue[] values = array(id);
        String[] texts = new String[values.length];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = values[i] == null ? null : text(values[i], id);
        }
        return texts;
    }

    public int[] getIntArray(int id) {
        ResourceValue[] values = array(id);
        int[] numbers = new int[values.length];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = values[i] == null ? 0 : values[i].asInt();
        }
        return numbers;
    }

    /** Zero if there is none. */
    public int getIdentifier(String name, String type, String owner) {
        return table.id(type, name);
    }

    /** Hidden. */
    public LayoutFile layout(int id) {
        String name = text(value(id, "Resource"), id);
        LayoutFile layout = table.layout(name);
        if (layout == null) {
            throw new NotFoundException("File " + name + " of resource ID #0x" + Integer.toHexString(id));
        }
        return layout;
    }

    /** Hidden: what an attribute's value stands for; null if it refers to what is not the package's. */
    public ResourceValue resolve(ResourceValue value) {
        return value.isReference() ? table.get(value.id()) : value;
    }

    private static String text(ResourceValue value, int id) {
        if (value.text() != null) {
            return value.text();
        }
        if (value.isBoolean()) {
            return String.valueOf(value.asInt() != 0);
        }
        if (value.isColor()) {
            return "#" + Integer.toHexString(value.asInt());
        }
        if (value.isFloat()) {
            return String.valueOf(value.asFloat());
        }
        return String.valueOf(checked(value, value.isInt(), id).asInt());
    }

    private ResourceValue value(int id, String what) {
        ResourceValue value = table.get(id);
        if (value == null) {
            throw new NotFoundException(what + " ID #0x" + Integer.toHexString(id));
        }
        return value;
    }

    private ResourceValue[] array(int id) {
        ResourceValue[] values = table.array(id);
        if (values == null) {
            throw new NotFoundException("Array resource ID #0x" + Integer.toHexString(id));
        }
        return values;
    }

    private static ResourceValue checked(ResourceValue value, boolean isRight, int id) {
        if (!isRight) {
            throw new NotFoundException("Resource ID #0x" + Integer.toHexString(id) + " is " + value + ", which is not valid");
        }
        return value;
    }
}

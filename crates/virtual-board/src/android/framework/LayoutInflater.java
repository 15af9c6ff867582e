package android.view;

import android.content.Context;
import android.util.AttributeSet;
import android.util.Log;
import android.widget.LinearLayout;
import android.widget.TextView;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import wattline.board.LayoutFile;
import wattline.board.ResourceValue;

/** Makes views of a layout file. What an attribute says that is not known here is said in the log. */
public class LayoutInflater {
    private static final String[] PACKAGES = {"android.widget.", "android.view."};
    private static final Set<String> LEFT_OUT = ConcurrentHashMap.newKeySet();

    private final Context context;

    private LayoutInflater(Context context) {
        this.context = context;
    }

    public static LayoutInflater from(Context context) {
        return new LayoutInflater(context);
    }

    public View inflate(int layout, ViewGroup root) {
        return inflate(layout, root, root != null);
    }

    public View inflate(int layout, ViewGroup root, boolean attach) {
        View view = view(context.getResources().layout(layout), root);
        if (root != null && attach) {
            root.addView(view);
        }
        return root != null && attach ? root : view;
    }

    private View view(LayoutFile element, ViewGroup parent) {
        View view = make(element);
        int width = size(element, "layout_width");
        int height = size(element, "layout_height");
        ViewGroup.MarginLayoutParams params = parent == null
                ? new ViewGroup.MarginLayoutParams(width, height) : parent.paramsOf(width, height);
        for (String name : element.names()) {
            ResourceValue value = context.getResources().resolve(element.get(name));
            if (!(value != null && set(view, params, name, value) || name.equals("id"))) {
                leftOut(name);
            }
        }
        view.setLayoutParams(params);
        ResourceValue id = element.get("id");
        view.setId(id == null ? View.NO_ID : id.id());
        for (LayoutFile child : element.children) {
            if (!(view instanceof ViewGroup)) {
                throw new InflateException(element.name + " can't have views in it");
            }
            ((ViewGroup) view).addView(view(child, (ViewGroup) view));
        }
        return view;
    }

    private View make(LayoutFile element) {
        for (String name : named(element.name)) {
            try {
                Class<?> type = Class.forName(name, true, context.getClassLoader());
                return (View) type.getConstructor(Context.class, AttributeSet.class).newInstance(context, element);
            } catch (ClassNotFoundException e) {
                continue;
            } catch (InvocationTargetException e) {
                throw new InflateException("Error inflating class " + element.name, e.getCause());
            } catch (ReflectiveOperationException | ClassCastException e) {
                throw new InflateException("Error inflating class " + element.name, e);
            }
        }
        throw new InflateException("Error inflating class " + element.name + ", which the virtual board does not have");
    }

    private static String[] named(String name) {
        return name.indexOf('.') >= 0 ? new String[] {name} : new String[] {PACKAGES[0] + name, PACKAGES[1] + name};
    }

    private int size(LayoutFile element, String name) {
        ResourceValue written = element.get(name);
        ResourceValue value = written == null ? null : context.getResources().resolve(written);
        if (value == null) {
            throw new InflateException(element.name + ": You must supply a " + name + " attribute.");
        }
        return value.isDimension() ? Math.round(value.asDimension()) : value.asInt();
    }

    /** Whether it is known. */
    private boolean set(View view, ViewGroup.MarginLayoutParams params, String name, ResourceValue value) {
        int size = value.isDimension() ? Math.round(value.asDimension()) : value.asInt();
        switch (name) {
            case "layout_width":
            case "layout_height":
                return true;
            case "layout_margin":
                params.setMargins(size, size, size, size);
                return true;
            case "layout_weight":
                if (params instanceof LinearLayout.LayoutParams) {
                    ((LinearLayout.LayoutParams) params).weight = value.isFloat() ? value.asFloat() : value.asInt();
                }
                return true;
            case "orientation":
                if (view instanceof LinearLayout) {
                    ((LinearLayout) view).setOrientation(value.asInt());
                }
                return true;
            case "text":
                if (view instanceof TextView) {
                    ((TextView) view).setText(value.text() == null ? String.valueOf(value.asInt()) : value.text());
                }
                return true;
            case "textSize":
                if (view instanceof TextView) {
                    ((TextView) view).setTextSize(value.asDimension());
                }
                return true;
            default:
                return setOwn(view, name, value, size);
        }
    }

    /** Of any view. */
    private boolean setOwn(View view, String name, ResourceValue value, int size) {
        switch (name) {
            case "padding":
                view.setPadding(size, size, size, size);
                return true;
            case "minWidth":
                view.setMinimumWidth(size);
                return true;
            case "minHeight":
                view.setMinimumHeight(size);
                return true;
            case "visibility":
                view.setVisibility(value.asInt() * View.INVISIBLE);
                return true;
            case "enabled":
                view.setEnabled(value.asInt() != 0);
                return true;
            case "clickable":
                view.setClickable(value.asInt() != 0);
                return true;
            case "focusable":
                view.setFocusable(value.asInt() != 0);
                return true;
            case "tag":
                view.setTag(value.text());
                return true;
            case "background":
                if (value.isColor()) {
                    view.setBackgroundColor(value.asInt());
                }
                return value.isColor();
            case "onClick":
                view.setOnClickListener(clicked -> call(value.text(), clicked));
                return true;
            default:
                return false;
        }
    }

    /** A method of the activity. */
    private void call(String name, View view) {
        try {
            Method method = context.getClass().getMethod(name, View.class);
            method.invoke(context, view);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("Could not find method " + name + "(View) for android:onClick", e);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("Could not execute method for android:onClick", e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("Could not execute non-public method for android:onClick", e);
        }
    }

    private static void leftOut(String name) {
        if (LEFT_OUT.add(name)) {
            Log.w("LayoutInflater", "the virtual board leaves out the attribute " + name);
        }
    }
}

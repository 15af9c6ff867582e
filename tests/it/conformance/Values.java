package conformance;

import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Bundles, intents and the names of components. */
final class Values {
    private Values() {
    }

    static void all(Context context) {
        types();
        wrongTypes();
        order();
        copies();
        intents(context);
        extras();
        components(context);
    }

    private static Bundle one() {
        Bundle bundle = new Bundle();
        bundle.putString("string", "text");
        bundle.putInt("int", 3);
        bundle.putLong("long", 4L);
        bundle.putFloat("float", 1.5f);
        bundle.putDouble("double", 2.5);
        bundle.putBoolean("boolean", true);
        bundle.putCharSequence("chars", new StringBuilder("letters"));
        bundle.putStringArray("array", new String[] {"a", "b"});
        bundle.putString("null", null);
        return bundle;
    }

    private static void types() {
        Bundle bundle = one();
        Say.value("string", bundle.getString("string"));
        Say.value("int", bundle.getInt("int"));
        Say.value("long", bundle.getLong("long"));
        Say.value("float", bundle.getFloat("float"));
        Say.value("double", bundle.getDouble("double"));
        Say.value("boolean", bundle.getBoolean("boolean"));
        Say.value("chars", bundle.getCharSequence("chars"));
        Say.value("chars of a string", bundle.getCharSequence("string"));
        Say.value("array", Arrays.toString(bundle.getStringArray("array")));
        Say.value("null", bundle.getString("null"));
        Say.value("null, otherwise", bundle.getString("null", "other"));
        Say.value("has null", bundle.containsKey("null"));
        Say.value("any", bundle.get("int"));
        Say.value("size", bundle.size());
    }

    private static void wrongTypes() {
        Bundle bundle = one();
        for (String key : new String[] {"string", "int", "long", "float", "double", "boolean", "chars", "none"}) {
            Say.value(key + " as string", bundle.getString(key));
            Say.value(key + " as string, otherwise", bundle.getString(key, "other"));
            Say.value(key + " as int", bundle.getInt(key));
            Say.value(key + " as int, otherwise", bundle.getInt(key, 7));
            Say.value(key + " as long, otherwise", bundle.getLong(key, 8));
            Say.value(key + " as float, otherwise", bundle.getFloat(key, 0.5f));
            Say.value(key + " as double, otherwise", bundle.getDouble(key, 0.25));
            Say.value(key + " as boolean, otherwise", bundle.getBoolean(key, true));
            Say.value(key + " as boolean", bundle.getBoolean(key));
            Say.value(key + " as chars", bundle.getCharSequence(key));
            Say.value(key + " as array", bundle.getStringArray(key));
            Say.value(key + " as bundle", bundle.getBundle(key));
        }
    }

    private static void order() {
        Bundle bundle = new Bundle(4);
        Say.value("empty", bundle + " " + bundle.isEmpty() + " " + bundle.size() + " " + keys(bundle));
        for (String key : new String[] {"frames", "one", "a", "zebra", "polygenelubricants", "b", "", "B", "speed"}) {
            bundle.putInt(key, key.length());
        }
        Say.value("keys", keys(bundle));
        Say.value("text", bundle);
        bundle.remove("one");
        bundle.remove("none");
        bundle.putInt(null, 1);
        Say.value("keys with none", keys(bundle));
        bundle.clear();
        Say.value("cleared", bundle.isEmpty());
    }

    /** In a list, since the set itself says no more than what it is. */
    private static List<String> keys(Bundle bundle) {
        return new ArrayList<>(bundle.keySet());
    }

    private static void copies() {
        Bundle bundle = new Bundle();
        Bundle inner = new Bundle();
        bundle.putBundle("inner", inner);
        bundle.putInt("int", 1);
        Bundle copy = new Bundle(bundle);
        copy.putInt("int", 2);
        inner.putString("late", "seen");
        Say.value("first", bundle.getInt("int"));
        Say.value("shared", copy.getBundle("inner").getString("late"));
        Bundle more = new Bundle();
        more.putInt("int", 3);
        more.putInt("more", 4);
        bundle.putAll(more);
        Say.value("all", bundle.getInt("int") + " " + bundle.getInt("more") + " " + bundle.size());
        Say.kind("all of none", () -> new Bundle((Bundle) null).size());
    }

    private static void intents(Context context) {
        Intent intent = new Intent();
        Say.value("action", intent.getAction());
        Say.value("component", intent.getComponent());
        Say.value("flags", intent.getFlags());
        Say.value("extras", intent.getExtras());
        Say.value("has", intent.hasExtra("any"));
        Say.value("empty intent", intent);
        Say.value("itself", intent.setAction(Intent.ACTION_VIEW) == intent);
        intent.setFlags(3).addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        Say.value("flags", Integer.toHexString(intent.getFlags()));
        Say.value("intent", intent);
        Say.value("class", intent.setClass(context, Values.class).getComponent());
        Say.value("class name", intent.setClassName("org.example", "org.example.Main").getComponent());
        Say.value("of context", intent.setClassName(context, "Main").getComponent());
        Say.value("text", intent.putExtra("i", 1));
        Say.value("none", intent.setComponent(null).getComponent());
        Say.value("made", new Intent(context, Values.class).getComponent());
        Say.value("main", new Intent(Intent.ACTION_MAIN));
    }

    private static void extras() {
        Intent intent = new Intent("do");
        intent.putExtra("s", "text").putExtra("i", 1).putExtra("l", 2L).putExtra("f", 3f).putExtra("d", 4.0);
        intent.putExtra("z", true).putExtra("n", (String) null);
        for (String key : new String[] {"s", "i", "l", "f", "d", "z", "n", "none"}) {
            Say.value(key + " is there", intent.hasExtra(key));
            Say.value(key + " as string", intent.getStringExtra(key));
            Say.value(key + " as int", intent.getIntExtra(key, -1));
            Say.value(key + " as long", intent.getLongExtra(key, -2));
            Say.value(key + " as float", intent.getFloatExtra(key, -3));
            Say.value(key + " as double", intent.getDoubleExtra(key, -4));
            Say.value(key + " as boolean", intent.getBooleanExtra(key, false));
        }
        intent.getExtras().putInt("i", 9);
        Say.value("a copy was changed", intent.getIntExtra("i", -1));
        Bundle more = new Bundle();
        more.putInt("i", 5);
        Say.value("more", intent.putExtras(more).getIntExtra("i", -1));
        Say.value("bare", new Intent().getIntExtra("i", 6));
        Say.value("all", keys(intent.getExtras()));
    }

    private static void components(Context context) {
        ComponentName name = new ComponentName("org.example", "org.example.Main");
        Say.value("package", name.getPackageName());
        Say.value("class", name.getClassName());
        Say.value("short", name.toShortString());
        Say.value("text", name);
        Say.value("hash", name.hashCode());
        Say.value("same", name.equals(new ComponentName("org.example", "org.example.Main")));
        Say.value("other", name.equals(new ComponentName("org.example", "Main")));
        Say.value("of context", new ComponentName(context, Values.class));
        Say.answer("no class", () -> new ComponentName("org.example", (String) null));
        Say.answer("no package", () -> new ComponentName((String) null, "Main"));
    }
}

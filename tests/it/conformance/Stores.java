package conformance;

import android.content.Context;
import android.content.SharedPreferences;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;

/** Preferences and files. */
final class Stores {
    private Stores() {
    }

    static void all(Context context) throws IOException {
        preferences(context);
        wrongTypes(context);
        editors(context);
        sets(context);
        files(context);
        names(context);
    }

    private static void preferences(Context context) {
        SharedPreferences kept = context.getSharedPreferences("kept", Context.MODE_PRIVATE);
        Say.value("the same", kept == context.getSharedPreferences("kept", Context.MODE_PRIVATE));
        Say.value("another", kept == context.getSharedPreferences("other", Context.MODE_PRIVATE));
        Say.value("nothing", kept.getAll());
        Say.value("otherwise", kept.getString("s", "other") + " " + kept.getInt("i", 1) + " "
                + kept.getLong("l", 2) + " "
                + kept.getFloat("f", 3) + " " + kept.getBoolean("z", true) + " " + kept.getString("s", null));
        SharedPreferences.Editor editor = kept.edit();
        Say.value("itself", editor.putString("s", "text") == editor);
        editor.putInt("i", 10).putLong("l", 20).putFloat("f", 1.5f).putBoolean("z", false);
        Say.value("not yet", kept.contains("s"));
        Say.value("committed", editor.commit());
        Say.value("all", new TreeMap<>(kept.getAll()));
        Say.value("each", kept.getString("s", "other") + " " + kept.getInt("i", 1) + " " + kept.getLong("l", 2) + " "
                + kept.getFloat("f", 3) + " " + kept.getBoolean("z", true));
        kept.edit().putString("s", null).remove("i").remove("none").apply();
        Say.value("applied", new TreeMap<>(kept.getAll()) + " " + kept.contains("i"));
        kept.getAll().clear();
        Say.value("a copy was cleared", kept.getAll().size());
    }

    private static void wrongTypes(Context context) {
        SharedPreferences kept = context.getSharedPreferences("wrong", Context.MODE_PRIVATE);
        kept.edit().putString("s", "text").putInt("i", 10).commit();
        Say.kind("string as int", () -> kept.getInt("s", 1));
        Say.kind("string as boolean", () -> kept.getBoolean("s", true));
        Say.kind("int as string", () -> kept.getString("i", "other"));
        Say.kind("int as long", () -> kept.getLong("i", 1));
        Say.kind("int as float", () -> kept.getFloat("i", 1));
        Say.kind("int as set", () -> kept.getStringSet("i", null));
    }

    private static void editors(Context context) {
        SharedPreferences kept = context.getSharedPreferences("editors", Context.MODE_PRIVATE);
        kept.edit().putInt("before", 1).commit();
        kept.edit().putInt("put", 2).clear().commit();
        Say.value("put, then cleared", kept.getAll());
        SharedPreferences.Editor editor = kept.edit();
        editor.putInt("once", 3).commit();
        kept.edit().putInt("once", 4).commit();
        editor.putInt("later", 5).commit();
        Say.value("an editor again", new TreeMap<>(kept.getAll()));
        editor.clear().apply();
        editor.putInt("kept", 6).apply();
        editor.putInt("too", 7).apply();
        Say.value("cleared once", new TreeMap<>(kept.getAll()));
        kept.edit().putInt("removed", 1).remove("removed").remove("back").putInt("back", 2).commit();
        Say.value("the last word", new TreeMap<>(kept.getAll()));
        kept.edit().putInt("lost", 1);
        Say.value("never committed", kept.contains("lost"));
    }

    private static void sets(Context context) {
        SharedPreferences kept = context.getSharedPreferences("sets", Context.MODE_PRIVATE);
        Set<String> set = new HashSet<>(Arrays.asList("one", "two", "three", "four", "five"));
        kept.edit().putStringSet("set", set).commit();
        set.add("six");
        Say.value("set", kept.getStringSet("set", null));
        Say.value("size", kept.getStringSet("set", null).size());
        Say.value("none", kept.getStringSet("none", null));
        kept.edit().putStringSet("set", null).commit();
        Say.value("gone", kept.contains("set"));
    }

    private static void files(Context context) throws IOException {
        Say.value("files", Arrays.toString(context.fileList()));
        write(context, Context.MODE_PRIVATE, "first");
        write(context, Context.MODE_APPEND, ", second");
        Say.value("appended", read(context));
        write(context, Context.MODE_PRIVATE, "third");
        Say.value("anew", read(context));
        Say.value("files", Arrays.toString(context.fileList()));
        Say.value("place", context.getFileStreamPath("note").equals(new java.io.File(context.getFilesDir(), "note")));
        Say.value("deleted", context.deleteFile("note") + " " + context.deleteFile("note"));
        Say.kind("gone", () -> context.openFileInput("note"));
        Say.kind("a path", () -> context.getFileStreamPath("a/b"));
        Say.kind("a path to read", () -> context.openFileInput("a/b"));
    }

    private static void write(Context context, int mode, String text) throws IOException {
        try (FileOutputStream out = context.openFileOutput("note", mode)) {
            out.write(text.getBytes("UTF-8"));
        }
    }

    private static String read(Context context) throws IOException {
        try (FileInputStream in = context.openFileInput("note")) {
            byte[] bytes = new byte[100];
            return new String(bytes, 0, in.read(bytes), "UTF-8");
        }
    }

    private static void names(Context context) {
        Say.value("names", context.getFilesDir().getName() + " " + context.getCacheDir().getName() + " "
                + context.getDir("own", Context.MODE_PRIVATE).getName());
        Say.value("are there", context.getFilesDir().isDirectory() + " " + context.getCacheDir().isDirectory() + " "
                + context.getDir("own", Context.MODE_PRIVATE).isDirectory());
        Say.value("loader", context.getClassLoader() != null);
        Say.value("looper", context.getMainLooper() == android.os.Looper.getMainLooper());
        Say.value("service", context.getSystemService("no such service"));
    }
}

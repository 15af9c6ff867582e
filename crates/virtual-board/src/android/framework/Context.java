package android.content;

import android.content.pm.PackageManager;
import android.content.res.Resources;
import android.os.Looper;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;

/** An application's surroundings, as Android documents them: files, preferences, names. */
public abstract class Context {
    public static final int MODE_PRIVATE = 0;
    public static final int MODE_APPEND = 32768;
    public static final int BIND_AUTO_CREATE = 1;
    public static final String WINDOW_SERVICE = "window";
    public static final String LAYOUT_INFLATER_SERVICE = "layout_inflater";

    public abstract Context getApplicationContext();

    public abstract ClassLoader getClassLoader();

    public abstract String getPackageName();

    public abstract PackageManager getPackageManager();

    public abstract Looper getMainLooper();

    public abstract Resources getResources();

    /** Null for those that there are not. */
    public abstract Object getSystemService(String name);

    public abstract File getFilesDir();

    public abstract File getCacheDir();

    public abstract File getDir(String name, int mode);

    public abstract File getFileStreamPath(String name);

    public abstract FileInputStream openFileInput(String name) throws FileNotFoundException;

    public abstract FileOutputStream openFileOutput(String name, int mode) throws FileNotFoundException;

    public abstract boolean deleteFile(String name);

    public abstract String[] fileList();

    public abstract SharedPreferences getSharedPreferences(String name, int mode);

    public abstract void startActivity(Intent intent);

    /** Null if there is no such service. */
    public abstract ComponentName startService(Intent intent);

    public abstract boolean stopService(Intent intent);

    public abstract boolean bindService(Intent intent, ServiceConnection connection, int flags);

    public abstract void unbindService(ServiceConnection connection);

    public final String getString(int id) {
        return getResources().getString(id);
    }

    public final String getString(int id, Object... arguments) {
        return getResources().getString(id, arguments);
    }

    public final CharSequence getText(int id) {
        return getResources().getText(id);
    }

    public final int getColor(int id) {
        return getResources().getColor(id);
    }
}

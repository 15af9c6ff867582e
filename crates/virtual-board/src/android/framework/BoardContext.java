package wattline.board;

import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.SharedPreferences;
import android.content.pm.InstrumentationInfo;
import android.content.pm.PackageManager;
import android.content.res.Resources;
import android.os.Bundle;
import android.os.Looper;
import android.view.ViewRoot;
import android.view.WindowManager;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** The one context that stands behind all others of a process. */
final class BoardContext extends Context {
    private final Bundle meta;
    private final Consumer<Intent> launcher;
    private final Resources resources = new Resources();
    private final Map<String, SharedPreferences> preferences = new HashMap<>();

    /**
     * With the meta-data of the instrumentation that was started, which is empty if none was, and
     * with what starts activities.
     */
    BoardContext(Bundle meta, Consumer<Intent> launcher) {
        this.meta = meta;
        this.launcher = launcher;
    }

    @Override
    public Context getApplicationContext() {
        return this;
    }

    @Override
    public ClassLoader getClassLoader() {
        return BoardContext.class.getClassLoader();
    }

    @Override
    public String getPackageName() {
        return Board.packageName();
    }

    @Override
    public Looper getMainLooper() {
        return Looper.getMainLooper();
    }

    @Override
    public Resources getResources() {
        return resources;
    }

    @Override
    public Object getSystemService(String name) {
        return name.equals(WINDOW_SERVICE) ? (WindowManager) ViewRoot::display : null;
    }

    @Override
    public File getFilesDir() {
        return folder("files");
    }

    @Override
    public File getCacheDir() {
        return folder("cache");
    }

    @Override
    public File getDir(String name, int mode) {
        return folder("app_" + name);
    }

    @Override
    public File getFileStreamPath(String name) {
        if (name.indexOf(File.separatorChar) >= 0) {
            throw new IllegalArgumentException("File " + name + " contains a path separator");
        }
        return new File(getFilesDir(), name);
    }

    @Override
    public FileInputStream openFileInput(String name) throws FileNotFoundException {
        return new FileInputStream(getFileStreamPath(name));
    }

    @Override
    public FileOutputStream openFileOutput(String name, int mode) throws FileNotFoundException {
        return new FileOutputStream(getFileStreamPath(name), (mode & MODE_APPEND) != 0);
    }

    @Override
    public boolean deleteFile(String name) {
        return getFileStreamPath(name).delete();
    }

    @Override
    public String[] fileList() {
        String[] names = getFilesDir().list();
        return names == null ? new String[0] : names;
    }

    @Override
    public synchronized SharedPreferences getSharedPreferences(String name, int mode) {
        File file = new File(folder("shared_prefs"), name + ".xml");
        return preferences.computeIfAbsent(name, unused -> new PreferencesFile(file));
    }

    @Override
    public void startActivity(Intent intent) {
        launcher.accept(intent);
    }

    @Override
    public PackageManager getPackageManager() {
        return new PackageManager() {
            @Override
            public InstrumentationInfo getInstrumentationInfo(ComponentName name, int flags)
                    throws NameNotFoundException {
                if (!name.getPackageName().equals(getPackageName())) {
                    throw new NameNotFoundException(name.toShortString());
                }
                InstrumentationInfo info = new InstrumentationInfo();
                info.packageName = name.getPackageName();
                info.name = name.getClassName();
                info.targetPackage = getPackageName();
                info.metaData = (flags & GET_META_DATA) == 0 ? null : meta;
                return info;
            }
        };
    }

    private static File folder(String name) {
        File folder = new File(Board.data(), name);
        folder.mkdirs();
        return folder;
    }
}

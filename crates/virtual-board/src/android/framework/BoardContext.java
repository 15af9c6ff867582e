package wattline.board;

import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.ServiceConnection;
import android.content.SharedPreferences;
import android.content.pm.InstrumentationInfo;
import android.content.pm.PackageManager;
import android.content.res.Resources;
import android.os.Bundle;
import android.os.Looper;
import android.view.LayoutInflater;
import android.view.ViewRoot;
import android.view.WindowManager;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** The context of a package, which stands behind all others of it in a process. */
final class BoardContext extends Context {
    private final String name;
    private final Bundle meta;
    private final Consumer<Intent> launcher;
    private final Services services;
    private final Resources resources;
    private Context application;
    private final Map<String, SharedPreferences> preferences = new HashMap<>();

    /**
     * Of a package and its resources, with the meta-data of the instrumentation that was started,
     * which is empty if none was, and with what starts activities and services.
     */
    BoardContext(String name, ResourceTable table, Bundle meta, Consumer<Intent> launcher, Services services) {
        this.name = name;
        resources = new Resources(table);
        this.meta = meta;
        this.launcher = launcher;
        this.services = services;
    }

    /** From then on it is what all contexts lead to. */
    void setApplication(Context application) {
        this.application = application;
    }

    /** Null before the application is made. */
    @Override
    public Context getApplicationContext() {
        return application;
    }

    @Override
    public ClassLoader getClassLoader() {
        return BoardContext.class.getClassLoader();
    }

    @Override
    public String getPackageName() {
        return name;
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
        switch (name) {
            case WINDOW_SERVICE:
                return (WindowManager) ViewRoot::display;
            case LAYOUT_INFLATER_SERVICE:
                return LayoutInflater.from(this);
            default:
                return null;
        }
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
    public ComponentName startService(Intent intent) {
        return services.start(intent);
    }

    @Override
    public boolean stopService(Intent intent) {
        return services.stop(intent);
    }

    @Override
    public boolean bindService(Intent intent, ServiceConnection connection, int flags) {
        return services.bind(intent, connection, flags);
    }

    @Override
    public void unbindService(ServiceConnection connection) {
        services.unbind(connection);
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
                info.targetPackage = Board.packageName();
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

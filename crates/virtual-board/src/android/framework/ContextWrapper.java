package android.content;

import android.content.pm.PackageManager;
import android.content.res.Resources;
import android.os.Looper;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;

/** Hands all calls on to another context. */
public class ContextWrapper extends Context {
    private Context base;

    public ContextWrapper(Context base) {
        this.base = base;
    }

    protected void attachBaseContext(Context base) {
        if (this.base != null) {
            throw new IllegalStateException("Base context already set");
        }
        this.base = base;
    }

    public Context getBaseContext() {
        return base;
    }

    @Override
    public Context getApplicationContext() {
        return base.getApplicationContext();
    }

    @Override
    public ClassLoader getClassLoader() {
        return base.getClassLoader();
    }

    @Override
    public String getPackageName() {
        return base.getPackageName();
    }

    @Override
    public PackageManager getPackageManager() {
        return base.getPackageManager();
    }

    @Override
    public Looper getMainLooper() {
        return base.getMainLooper();
    }

    @Override
    public Resources getResources() {
        return base.getResources();
    }

    @Override
    public Object getSystemService(String name) {
        return base.getSystemService(name);
    }

    @Override
    public File getFilesDir() {
        return base.getFilesDir();
    }

    @Override
    public File getCacheDir() {
        return base.getCacheDir();
    }

    @Override
    public File getDir(String name, int mode) {
        return base.getDir(name, mode);
    }

    @Override
    public File getFileStreamPath(String name) {
        return base.getFileStreamPath(name);
    }

    @Override
    public FileInputStream openFileInput(String name) throws FileNotFoundException {
        return base.openFileInput(name);
    }

    @Override
    public FileOutputStream openFileOutput(String name, int mode) throws FileNotFoundException {
        return base.openFileOutput(name, mode);
    }

    @Override
    public boolean deleteFile(String name) {
        return base.deleteFile(name);
    }

    @Override
    public String[] fileList() {
        return base.fileList();
    }

    @Override
    public SharedPreferences getSharedPreferences(String name, int mode) {
        return base.getSharedPreferences(name, mode);
    }

    @Override
    public void startActivity(Intent intent) {
        base.startActivity(intent);
    }

    @Override
    public ComponentName startService(Intent intent) {
        return base.startService(intent);
    }

    @Override
    public boolean stopService(Intent intent) {
        return base.stopService(intent);
    }

    @Override
    public boolean bindService(Intent intent, ServiceConnection connection, int flags) {
        return base.bindService(intent, connection, flags);
    }

    @Override
    public void unbindService(ServiceConnection connection) {
        base.unbindService(connection);
    }
}

package android.content;

import android.content.pm.PackageManager;
import java.io.File;

/** An application's surroundings: files where the property `files` says. */
public class Context {
    public File getFilesDir() {
        return new File(System.getProperty("files"));
    }

    public ClassLoader getClassLoader() {
        return Context.class.getClassLoader();
    }

    public PackageManager getPackageManager() {
        return new PackageManager();
    }
}

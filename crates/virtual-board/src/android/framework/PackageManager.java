package android.content.pm;

import android.content.ComponentName;

/** What the board knows of packages: instrumentations and their meta-data. */
public abstract class PackageManager {
    public static final int GET_META_DATA = 128;

    public abstract InstrumentationInfo getInstrumentationInfo(ComponentName name, int flags)
            throws NameNotFoundException;

    /** Nothing of that name is installed. */
    public static class NameNotFoundException extends Exception {
        public NameNotFoundException() {
        }

        public NameNotFoundException(String name) {
            super(name);
        }
    }
}

package android.content.pm;

import android.content.ComponentName;
import android.os.Bundle;

/** Knows one manifest, whose facts are properties of the JVM. */
public class PackageManager {
    public static final int GET_META_DATA = 128;

    /** As Android's. */
    public static class NameNotFoundException extends Exception {}

    public InstrumentationInfo getInstrumentationInfo(ComponentName name, int flags)
            throws NameNotFoundException {
        InstrumentationInfo info = new InstrumentationInfo();
        info.metaData = new Bundle();
        for (String fact : new String[] {"wattline.main", "wattline.probes"}) {
            if (System.getProperty(fact) != null) {
                info.metaData.putString(fact, System.getProperty(fact));
            }
        }
        return info;
    }
}

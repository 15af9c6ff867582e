package android.content.pm;

import android.os.Bundle;

/** What a manifest says of a part of a package. */
public class PackageItemInfo {
    public String name;
    public String packageName;
    /** Where it was asked for. */
    public Bundle metaData;
}

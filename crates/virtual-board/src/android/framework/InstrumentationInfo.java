package android.content.pm;

/** What a manifest says of an instrumentation. */
public class InstrumentationInfo extends PackageItemInfo {
    public String targetPackage;
}

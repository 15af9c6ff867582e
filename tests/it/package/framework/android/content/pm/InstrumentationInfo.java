package android.content.pm;

import android.os.Bundle;

/** What a manifest says of an instrumentation. */
public class InstrumentationInfo {
    public Bundle metaData;
}

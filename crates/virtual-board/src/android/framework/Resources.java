package android.content.res;

import android.util.DisplayMetrics;

/** What is known of the screen; packages of the board have no resources. */
public class Resources {
    private final DisplayMetrics metrics = new DisplayMetrics();

    /** Hidden. */
    public Resources() {
        metrics.setToDefaults();
    }

    public DisplayMetrics getDisplayMetrics() {
        return metrics;
    }
}

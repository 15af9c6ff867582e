package android.util;

import wattline.board.Screen;

/** The board's screen in numbers. */
public class DisplayMetrics {
    public static final int DENSITY_MEDIUM = 160;
    public static final int DENSITY_DEFAULT = DENSITY_MEDIUM;

    public int widthPixels;
    public int heightPixels;
    public float density;
    public int densityDpi;
    public float scaledDensity;
    public float xdpi;
    public float ydpi;

    public void setToDefaults() {
        widthPixels = Screen.WIDTH;
        heightPixels = Screen.HEIGHT;
        density = 1;
        scaledDensity = 1;
        densityDpi = DENSITY_DEFAULT;
        xdpi = DENSITY_DEFAULT;
        ydpi = DENSITY_DEFAULT;
    }
}

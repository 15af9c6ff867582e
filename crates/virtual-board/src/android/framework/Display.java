package android.view;

import android.graphics.Point;
import android.util.DisplayMetrics;
import wattline.board.Screen;

/** The board's screen: nobody sees it, and it costs nothing. */
public final class Display {
    public static final int DEFAULT_DISPLAY = 0;

    Display() {
    }

    public int getDisplayId() {
        return DEFAULT_DISPLAY;
    }

    public int getWidth() {
        return Screen.WIDTH;
    }

    public int getHeight() {
        return Screen.HEIGHT;
    }

    public void getSize(Point size) {
        size.set(Screen.WIDTH, Screen.HEIGHT);
    }

    public void getRealSize(Point size) {
        getSize(size);
    }

    public void getMetrics(DisplayMetrics metrics) {
        metrics.setToDefaults();
    }

    public void getRealMetrics(DisplayMetrics metrics) {
        getMetrics(metrics);
    }

    public int getRotation() {
        return Surface.ROTATION_0;
    }

    public float getRefreshRate() {
        return Screen.REFRESH_HZ;
    }
}

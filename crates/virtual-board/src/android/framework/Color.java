package android.graphics;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Colours as numbers: alpha, red, green and blue, a byte each. */
public class Color {
    public static final int BLACK = 0xff000000;
    public static final int DKGRAY = 0xff444444;
    public static final int GRAY = 0xff888888;
    public static final int LTGRAY = 0xffcccccc;
    public static final int WHITE = 0xffffffff;
    public static final int RED = 0xffff0000;
    public static final int GREEN = 0xff00ff00;
    public static final int BLUE = 0xff0000ff;
    public static final int YELLOW = 0xffffff00;
    public static final int CYAN = 0xff00ffff;
    public static final int MAGENTA = 0xffff00ff;
    public static final int TRANSPARENT = 0;

    private static final Map<String, Integer> NAMES = names();

    public static int alpha(int color) {
        return color >>> 24;
    }

    public static int red(int color) {
        return color >> 16 & 255;
    }

    public static int green(int color) {
        return color >> 8 & 255;
    }

    public static int blue(int color) {
        return color & 255;
    }

    public static int rgb(int red, int green, int blue) {
        return argb(255, red, green, blue);
    }

    public static int argb(int alpha, int red, int green, int blue) {
        return alpha << 24 | red << 16 | green << 8 | blue;
    }

    /** Of {@code #RRGGBB}, {@code #AARRGGBB}, or a name that Android has. */
    public static int parseColor(String text) {
        Integer named = NAMES.get(text.toLowerCase(Locale.ROOT));
        if (named != null) {
            return named;
        }
        if (text.charAt(0) == '#') {
            int color = (int) Long.parseLong(text.substring(1), 16);
            if (text.length() == 7) {
                return color | BLACK;
            }
            if (text.length() == 9) {
                return color;
            }
        }
        throw new IllegalArgumentException("Unknown color");
    }

    private static Map<String, Integer> names() {
        Map<String, Integer> names = new HashMap<>();
        names.put("black", BLACK);
        for (String grey : new String[] {"gray", "grey"}) {
            names.put("dark" + grey, DKGRAY);
            names.put(grey, GRAY);
            names.put("light" + grey, LTGRAY);
        }
        names.put("white", WHITE);
        names.put("red", RED);
        names.put("green", GREEN);
        names.put("blue", BLUE);
        names.put("yellow", YELLOW);
        names.put("cyan", CYAN);
        names.put("aqua", CYAN);
        names.put("magenta", MAGENTA);
        names.put("fuchsia", MAGENTA);
        names.put("lime", GREEN);
        names.put("maroon", rgb(128, 0, 0));
        names.put("navy", rgb(0, 0, 128));
        names.put("olive", rgb(128, 128, 0));
        names.put("purple", rgb(128, 0, 128));
        names.put("silver", rgb(192, 192, 192));
        names.put("teal", rgb(0, 128, 128));
        return names;
    }

    /** From hue in degrees, which is red's beyond the circle, saturation and value. */
    public static int HSVToColor(float[] hsv) {
        float saturation = Math.min(1, Math.max(0, hsv[1]));
        float value = Math.min(1, Math.max(0, hsv[2]));
        float hue = hsv[0] >= 0 && hsv[0] < 360 ? hsv[0] : 0;
        return rgb(part(5, hue, saturation, value), part(3, hue, saturation, value), part(1, hue, saturation, value));
    }

    private static int part(int offset, float hue, float saturation, float value) {
        float at = (offset + hue / 60) % 6;
        float less = Math.max(0, Math.min(1, Math.min(at, 4 - at)));
        return Math.round(255 * (value - value * saturation * less));
    }
}

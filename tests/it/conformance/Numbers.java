package conformance;

import android.graphics.Color;
import android.graphics.Point;
import android.graphics.PointF;
import android.graphics.Rect;
import android.graphics.RectF;
import android.util.Base64;
import android.util.Log;
import android.view.View.MeasureSpec;
import android.view.View;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;

/** Arithmetic: rectangles, points, colours, sizes, letters. */
final class Numbers {
    private Numbers() {
    }

    static void all() {
        rectangles();
        together();
        floats();
        floatsTogether();
        points();
        colors();
        sizes();
        letters();
        logs();
    }

    private static void rectangles() {
        Rect rect = new Rect(1, 2, 11, 33);
        Say.value("rect", rect + " " + rect.width() + " x " + rect.height());
        Say.value("center", rect.centerX() + " " + rect.centerY());
        Say.value("negative center", new Rect(-4, -4, 1, 1).centerX());
        Say.value("exact center", rect.exactCenterX() + " " + rect.exactCenterY());
        Say.value("hash", rect.hashCode() + " " + new Rect().hashCode());
        Say.value("equal", rect.equals(new Rect(rect)) + " " + rect.equals(null) + " " + rect.equals("rect"));
        rect.offset(-1, 3);
        Say.value("offset", rect);
        rect.offsetTo(100, 200);
        Say.value("offset to", rect);
        rect.inset(2, 3);
        Say.value("inset", rect);
        rect.inset(10, 10);
        Say.value("inset too far", rect + " " + rect.isEmpty() + " " + rect.width());
        rect.setEmpty();
        Say.value("empty", rect + " " + rect.isEmpty());
        rect.set(new Rect(0, 0, 2, 2));
        for (int at = -1; at < 3; at++) {
            Say.value("contains " + at, rect.contains(at, 0) + " " + rect.contains(0, at));
        }
    }

    private static void together() {
        int[][] others = {{2, 2, 4, 4}, {10, 0, 20, 10}, {9, 9, 20, 20}, {-5, -5, 0, 0}, {3, 3, 3, 3}, {5, 5, 2, 2}};
        for (int[] o : others) {
            Rect other = new Rect(o[0], o[1], o[2], o[3]);
            Rect rect = new Rect(0, 0, 10, 10);
            Say.value("contains " + other, rect.contains(other));
            Say.value("intersects " + other, rect.intersects(o[0], o[1], o[2], o[3]) + " "
                    + Rect.intersects(other, rect));
            Say.value("intersect " + other, rect.intersect(other) + " " + rect);
            rect.set(0, 0, 10, 10);
            rect.union(other);
            Say.value("union " + other, rect);
            Rect empty = new Rect(7, 7, 7, 7);
            empty.union(other);
            Say.value("empty union " + other, empty);
            Say.value("empty contains " + other, new Rect().contains(other));
        }
    }

    private static void floats() {
        RectF rect = new RectF(1.5f, 2.5f, 11.25f, 33);
        Say.value("rectf", rect + " " + rect.width() + " x " + rect.height());
        Say.value("center", rect.centerX() + " " + rect.centerY());
        Say.value("hash", rect.hashCode() + " " + new RectF().hashCode() + " " + new RectF(-0f, 1, 2, 3).hashCode());
        Say.value("equal", rect.equals(new RectF(rect)) + " " + rect.equals(null));
        Say.value("zeros", new RectF(0f, 1, 2, 3).equals(new RectF(-0f, 1, 2, 3)));
        Say.value("no numbers", new RectF(Float.NaN, 1, 2, 3).equals(new RectF(Float.NaN, 1, 2, 3)));
        Rect whole = new Rect();
        rect.round(whole);
        Say.value("round", whole);
        new RectF(-0.5f, -1.5f, 0.5f, 2.4f).round(whole);
        Say.value("round halves", whole);
        rect.offset(-1, 3);
        Say.value("offset", rect);
        rect.offsetTo(100, 200);
        Say.value("offset to", rect);
        rect.inset(2, 3.5f);
        Say.value("inset", rect);
        rect.set(new Rect(0, 0, 2, 2));
        Say.value("of rect", rect + " " + new RectF(new Rect(1, 2, 3, 4)));
        for (float at = -0.5f; at < 3; at += 0.5f) {
            Say.value("contains " + at, rect.contains(at, 0) + " " + rect.contains(0, at));
        }
        rect.setEmpty();
        Say.value("empty", rect + " " + rect.isEmpty());
    }

    private static void floatsTogether() {
        float[][] others = {{2, 2, 4, 4}, {10, 0, 20, 10}, {9, 9, 20, 20}, {-5, -5, 0, 0}, {3, 3, 3, 3}, {5, 5, 2, 2}};
        for (float[] o : others) {
            RectF other = new RectF(o[0], o[1], o[2], o[3]);
            RectF rect = new RectF(0, 0, 10, 10);
            Say.value("contains " + other, rect.contains(other));
            Say.value("intersects " + other, rect.intersects(o[0], o[1], o[2], o[3]) + " "
                    + RectF.intersects(other, rect));
            Say.value("intersect " + other, rect.intersect(other) + " " + rect);
            rect.set(0, 0, 10, 10);
            rect.union(other);
            Say.value("union " + other, rect);
            RectF empty = new RectF(7, 7, 7, 7);
            empty.union(other);
            Say.value("empty union " + other, empty);
        }
    }

    private static void points() {
        Point point = new Point(3, 4);
        point.offset(1, -1);
        Say.value("point", point + " " + point.hashCode() + " " + point.equals(4, 3) + " "
                + point.equals(new Point(point)));
        PointF place = new PointF(3, 4);
        Say.value("pointf", place + " " + place.length() + " " + place.hashCode() + " " + PointF.length(1, 1));
        place.offset(0.5f, -4);
        Say.value("moved", place + " " + place.equals(3.5f, 0) + " " + place.equals(new PointF(3.5f, 0)));
        Say.value("zeros", new PointF(0f, 1).equals(new PointF(-0f, 1)) + " " + new PointF(-0f, 1).hashCode());
        Say.value("zeros by numbers", new PointF(0f, 1).equals(-0f, 1));
        Say.value("no numbers", new PointF(Float.NaN, 1).equals(new PointF(Float.NaN, 1)));
        place.set(new PointF(1, 2));
        Say.value("set", place);
    }

    private static void colors() {
        int color = Color.argb(1, 2, 3, 4);
        Say.value("color", color + " " + Color.alpha(color) + " " + Color.red(color) + " " + Color.green(color) + " "
                + Color.blue(color));
        Say.value("white", Color.alpha(Color.WHITE) + " " + Color.red(Color.WHITE));
        Say.value("rgb", Integer.toHexString(Color.rgb(16, 32, 255)));
        Say.value("too much", Integer.toHexString(Color.argb(256, 257, -1, 0)));
        for (String text : new String[] {"#102030", "#80102030", "#fff", "red", "RED", "lightgrey", "aqua", "navy",
                "maroon", "teal", "olive", "purple", "silver", "fuchsia", "DarkGray",
                "nocolor", "102030", "#10203g"}) {
            Say.answer("color " + text, () -> Integer.toHexString(Color.parseColor(text)));
        }
        Say.kind("no letters", () -> Color.parseColor(""));
        for (float hue = 0; hue <= 360; hue += 45) {
            Say.value("hue " + hue, Integer.toHexString(Color.HSVToColor(new float[] {hue, 0.75f, 0.5f})));
        }
        Say.value("hue beyond", Integer.toHexString(Color.HSVToColor(new float[] {400, 2, 2})));
        Say.value("hue below", Integer.toHexString(Color.HSVToColor(new float[] {-30, 1, 1})));
        Say.value("grey", Integer.toHexString(Color.HSVToColor(new float[] {120, 0, 0.3f})));
    }

    private static void sizes() {
        int[] modes = {MeasureSpec.UNSPECIFIED, MeasureSpec.EXACTLY, MeasureSpec.AT_MOST};
        for (int mode : modes) {
            int spec = MeasureSpec.makeMeasureSpec(100, mode);
            Say.value("spec", spec + " " + MeasureSpec.getMode(spec) + " " + MeasureSpec.getSize(spec));
            for (int size : new int[] {50, 200}) {
                Say.value("default " + size, View.getDefaultSize(size, spec));
                Say.value("resolved " + size, View.resolveSize(size, spec));
            }
        }
    }

    private static void letters() {
        for (String text : new String[] {"", "a", "ab", "abc", "\u00ff\u00fe\u00fd~~~???>>>"}) {
            written(text.getBytes(StandardCharsets.ISO_8859_1), 16);
        }
        for (int length : new int[] {56, 57, 58, 114, 120}) {
            written(new byte[length], 8);
        }
    }

    private static void written(byte[] bytes, int most) {
        for (int flags = 0; flags < most; flags += 4) {
            StringBuilder all = new StringBuilder();
            for (int more = 0; more < 4; more++) {
                all.append(' ').append(escaped(Base64.encodeToString(bytes, flags + more)));
            }
            Say.value("base64 of " + bytes.length + ", " + flags + " to " + (flags + 3), all);
        }
    }

    private static String escaped(String text) {
        return text.replace("\r", "\\r").replace("\n", "\\n");
    }

    private static void logs() {
        Say.value("trace of none", Log.getStackTraceString(null) + ".");
        Exception lost = new IllegalStateException(new UnknownHostException("nowhere"));
        Say.value("trace without a network", Log.getStackTraceString(lost) + ".");
        String trace = Log.getStackTraceString(new IllegalStateException("words"));
        Say.value("trace", trace.substring(0, trace.indexOf('\n')) + " " + trace.endsWith("\n"));
        for (int level = Log.VERBOSE; level <= Log.ASSERT; level++) {
            Say.value("loggable " + level, Log.isLoggable("conformance", level));
        }
    }
}

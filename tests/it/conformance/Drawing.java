package conformance;

import android.graphics.Canvas;
import android.graphics.Color;
import android.graphics.Paint;
import android.graphics.Path;
import android.graphics.Rect;

/** What is drawn with and on: how it is kept, not what comes out. */
final class Drawing {
    private Drawing() {
    }

    static void all() {
        paint();
        copies();
        paths();
        canvas();
        hues();
    }

    private static void paint() {
        Paint paint = new Paint();
        say("paint", paint);
        paint.setAlpha(10);
        say("alpha", paint);
        paint.setAlpha(300);
        say("too much alpha", paint);
        paint.setARGB(1, 2, 3, 4);
        say("parts", paint);
        paint.setColor(0x11223344);
        say("color", paint);
        paint.setAntiAlias(true);
        Say.value("smooth", paint.isAntiAlias() + " " + (paint.getFlags() & Paint.ANTI_ALIAS_FLAG));
        paint.setAntiAlias(false);
        paint.setDither(true);
        Say.value("rough", paint.isAntiAlias() + " " + (paint.getFlags() & Paint.DITHER_FLAG));
        paint.setStrokeWidth(2.5f);
        paint.setStrokeWidth(-1);
        paint.setTextSize(20);
        paint.setTextSize(-1);
        say("less than nothing", paint);
        paint.setStrokeWidth(0);
        paint.setTextSize(0);
        say("nothing", paint);
    }

    private static void copies() {
        Paint paint = new Paint();
        paint.setStyle(Paint.Style.STROKE);
        paint.setTextSize(20);
        paint.setStrokeCap(Paint.Cap.ROUND);
        paint.setStrokeJoin(Paint.Join.BEVEL);
        paint.setTextAlign(Paint.Align.RIGHT);
        say("changed", paint);
        say("copy", new Paint(paint));
        Paint other = new Paint();
        other.set(paint);
        paint.setStyle(Paint.Style.FILL_AND_STROKE);
        say("set", other);
    }

    private static void say(String what, Paint paint) {
        Say.value(what, Integer.toHexString(paint.getColor()) + " " + paint.getAlpha() + " " + paint.getStyle() + " "
                + paint.getStrokeWidth() + " " + paint.getStrokeCap() + " " + paint.getStrokeJoin() + " "
                + paint.getTextAlign() + " " + paint.getTextSize());
    }

    private static void paths() {
        Path path = new Path();
        Say.value("path", path.isEmpty());
        path.moveTo(1, 1);
        Say.value("moved", path.isEmpty() + " " + new Path(path).isEmpty());
        path.reset();
        Say.value("reset", path.isEmpty());
        path.close();
        Say.value("closed", path.isEmpty());
        path.lineTo(1, 1);
        Say.value("line", path.isEmpty());
        path.rewind();
        Say.value("rewound", path.isEmpty());
        for (float size = -1; size <= 1; size++) {
            path.addCircle(0, 0, size, Path.Direction.CW);
            Say.value("circle of " + size, path.isEmpty());
            path.rewind();
            path.addRect(0, 0, size, size, Path.Direction.CCW);
            Say.value("rect of " + size, path.isEmpty());
            path.rewind();
        }
        path.quadTo(0, 0, 1, 1);
        path.cubicTo(0, 0, 1, 1, 2, 2);
        Say.value("curves", path.isEmpty());
    }

    /** One that draws nowhere. */
    private static void canvas() {
        Canvas canvas = new Canvas();
        Say.value("canvas", canvas.getWidth() + " " + canvas.getHeight() + " " + canvas.isHardwareAccelerated());
        Say.value("save", canvas.save() + " " + canvas.save() + " " + canvas.getSaveCount());
        canvas.restoreToCount(2);
        Say.value("restored to 2", canvas.getSaveCount());
        canvas.restoreToCount(5);
        Say.value("restored to more", canvas.getSaveCount());
        canvas.restore();
        Say.value("restored", canvas.getSaveCount());
        Say.done("too often", canvas::restore);
        Say.done("to none", () -> canvas.restoreToCount(0));
        Say.value("clip", canvas.clipRect(0, 0, 10, 10) + " " + canvas.clipRect(new Rect(1, 1, 1, 1)) + " "
                + canvas.clipRect(0f, 0f, 1f, 1f));
    }

    private static void hues() {
        for (float hue = -40; hue <= 400; hue += 21.5f) {
            StringBuilder all = new StringBuilder();
            for (float part = -0.25f; part <= 1.25f; part += 0.25f) {
                all.append(' ').append(Integer.toHexString(Color.HSVToColor(new float[] {hue, part, 0.71f})));
                all.append(' ').append(Integer.toHexString(Color.HSVToColor(new float[] {hue, 0.37f, part})));
            }
            Say.value("hue " + hue, all);
        }
    }
}

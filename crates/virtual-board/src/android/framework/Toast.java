package android.widget;

import android.content.Context;
import wattline.board.Board;

/** A short word to whoever looks at the screen: here a line of the log. */
public class Toast {
    public static final int LENGTH_SHORT = 0;
    public static final int LENGTH_LONG = 1;

    private CharSequence text = "";
    private int duration;

    public Toast(Context context) {
    }

    public static Toast makeText(Context context, CharSequence text, int duration) {
        Toast toast = new Toast(context);
        toast.setText(text);
        toast.setDuration(duration);
        return toast;
    }

    public void setText(CharSequence text) {
        this.text = text;
    }

    public void setDuration(int duration) {
        this.duration = duration;
    }

    public int getDuration() {
        return duration;
    }

    public void show() {
        Board.report("log", "I", "Toast", String.valueOf(text));
    }

    public void cancel() {
    }
}

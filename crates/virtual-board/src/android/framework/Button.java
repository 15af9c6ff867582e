package android.widget;

import android.content.Context;
import android.util.AttributeSet;

/** Text that is clicked. */
public class Button extends TextView {
    public Button(Context context) {
        this(context, null);
    }

    public Button(Context context, AttributeSet attributes) {
        super(context, attributes);
        setClickable(true);
        setFocusable(true);
        setMinimumWidth(88);
        setMinimumHeight(48);
    }
}

package notes;

import android.content.Context;
import android.graphics.Canvas;
import android.util.AttributeSet;
import android.view.View;

/** A view of the application's own, which the layout names. */
public class RowView extends View {
    private int rows;

    public RowView(Context context, AttributeSet attributes) {
        super(context, attributes);
    }

    @Override
    protected void onDraw(Canvas canvas) {
        rows = 0;
        for (int y = 0; y < getHeight(); y += 20) {
            rows++;
        }
    }
}

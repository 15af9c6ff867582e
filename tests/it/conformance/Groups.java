package conformance;

import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.Parcel;
import android.os.Parcelable;
import android.view.MotionEvent;
import android.view.View;
import android.view.ViewGroup;
import android.widget.FrameLayout;
import android.widget.LinearLayout;
import java.util.Arrays;

/** Views in each other: their places and their touches; and what goes through a parcel. */
final class Groups {
    private static final int WRAP = ViewGroup.LayoutParams.WRAP_CONTENT;
    private static final int MATCH = ViewGroup.LayoutParams.MATCH_PARENT;
    private static final int EXACTLY = View.MeasureSpec.EXACTLY;
    private static final int AT_MOST = View.MeasureSpec.AT_MOST;

    private final Context context;

    private Groups(Context context) {
        this.context = context;
    }

    static void all(Context context) {
        Groups groups = new Groups(context);
        groups.lines(LinearLayout.VERTICAL);
        groups.lines(LinearLayout.HORIZONTAL);
        groups.frames();
        groups.children();
        groups.touches();
        groups.parcels();
    }

    private View view(int id, int least) {
        View view = new View(context);
        view.setId(id);
        view.setMinimumWidth(least);
        view.setMinimumHeight(least);
        return view;
    }

    private void add(LinearLayout line, int id, int width, int height, float weight, int margin) {
        LinearLayout.LayoutParams params = new LinearLayout.LayoutParams(width, height, weight);
        params.setMargins(margin, 2 * margin, 3 * margin, 4 * margin);
        line.addView(view(id, 30), params);
    }

    private void lines(int orientation) {
        LinearLayout line = new LinearLayout(context);
        line.setOrientation(orientation);
        line.setPadding(1, 2, 3, 4);
        add(line, 1, 100, 50, 0, 5);
        add(line, 2, 60, 70, 0, 0);
        place("fixed, at most", line, 900, AT_MOST);
        add(line, 3, 0, 0, 1, 0);
        add(line, 4, 0, 0, 2, 1);
        place("with weights", line, 901, EXACTLY);
        line.getChildAt(1).setVisibility(View.GONE);
        place("with one gone", line, 901, EXACTLY);
        line.getChildAt(1).setVisibility(View.INVISIBLE);
        add(line, 5, MATCH, 20, 0, 0);
        place("with one as large as all", line, 300, EXACTLY);
    }

    private void frames() {
        FrameLayout frame = new FrameLayout(context);
        frame.setPadding(10, 20, 30, 40);
        frame.addView(view(1, 5), new FrameLayout.LayoutParams(50, 60));
        frame.addView(view(2, 5), new FrameLayout.LayoutParams(MATCH, 70));
        place("frame", frame, 500, EXACTLY);
        FrameLayout small = new FrameLayout(context);
        small.setMinimumHeight(90);
        small.addView(view(3, 5), new FrameLayout.LayoutParams(50, 60));
        place("small frame", small, 500, AT_MOST);
    }

    private static void place(String what, ViewGroup group, int size, int mode) {
        int spec = View.MeasureSpec.makeMeasureSpec(size, mode);
        group.measure(spec, spec);
        group.layout(0, 0, group.getMeasuredWidth(), group.getMeasuredHeight());
        Say.value(what, group.getWidth() + " x " + group.getHeight());
        for (int i = 0; i < group.getChildCount(); i++) {
            View child = group.getChildAt(i);
            Say.line(child.getId() + ": " + child.getLeft() + " " + child.getTop() + " " + child.getRight() + " "
                    + child.getBottom());
        }
    }

    private void children() {
        FrameLayout outer = new FrameLayout(context);
        LinearLayout inner = new LinearLayout(context);
        View view = view(7, 0);
        inner.addView(view);
        outer.addView(inner);
        Say.value("found", outer.findViewById(7) == view);
        Say.value("not found", outer.findViewById(8));
        Say.value("itself", view.findViewById(7) == view);
        Say.value("index", inner.indexOfChild(view) + " " + outer.indexOfChild(view));
        try {
            outer.addView(view);
        } catch (IllegalStateException e) {
            Say.line("has a group already");
        }
        Say.value("sizes", inner.getLayoutParams().width + " " + view.getLayoutParams().height);
        inner.removeView(view);
        Say.value("left", inner.getChildCount() + " " + outer.findViewById(7) + " " + outer.getChildAt(5));
    }

    private View deaf(int id, boolean wants) {
        View view = view(id, 0);
        view.setOnTouchListener((of, event) -> {
            Say.line(id + " has " + event.getAction() + " at " + event.getX() + " " + event.getY());
            return wants;
        });
        return view;
    }

    private void touches() {
        FrameLayout outer = new FrameLayout(context);
        FrameLayout inner = new FrameLayout(context);
        FrameLayout.LayoutParams params = new FrameLayout.LayoutParams(100, 100);
        params.setMargins(20, 30, 0, 0);
        inner.addView(deaf(1, true), new FrameLayout.LayoutParams(50, 50));
        inner.addView(deaf(2, false), new FrameLayout.LayoutParams(80, 40));
        outer.addView(inner, params);
        place("to touch", outer, 200, EXACTLY);
        for (int[] at : new int[][] {{30, 40}, {30, 75}, {90, 50}, {150, 150}}) {
            Say.line("touch at " + Arrays.toString(at));
            for (int action : new int[] {MotionEvent.ACTION_DOWN, MotionEvent.ACTION_MOVE, MotionEvent.ACTION_UP}) {
                MotionEvent event = MotionEvent.obtain(0, action, action, at[0] + action, at[1], 0);
                Say.value("taken", outer.dispatchTouchEvent(event));
                Say.value("it is at", event.getX() + " " + event.getY());
                event.recycle();
            }
        }
    }

    /** A value of the application's own. */
    static final class Pair implements Parcelable {
        public static final Creator<Pair> CREATOR =
                new Creator<Pair>() {
                    @Override
                    public Pair createFromParcel(Parcel parcel) {
                        return new Pair(parcel.readString(), parcel.readInt());
                    }

                    @Override
                    public Pair[] newArray(int size) {
                        return new Pair[size];
                    }
                };

        final String name;
        final int value;

        Pair(String name, int value) {
            this.name = name;
            this.value = value;
        }

        @Override
        public int describeContents() {
            return 0;
        }

        @Override
        public void writeToParcel(Parcel parcel, int flags) {
            parcel.writeString(name);
            parcel.writeInt(value);
        }
    }

    private void parcels() {
        Parcel parcel = Parcel.obtain();
        parcel.writeInt(7);
        parcel.writeLong(8L);
        parcel.writeFloat(1.5f);
        parcel.writeDouble(2.5);
        parcel.writeByte((byte) 3);
        parcel.writeString("text");
        parcel.writeString(null);
        parcel.writeIntArray(new int[] {1, 2});
        parcel.writeParcelable(new Pair("a", 4), 0);
        parcel.writeParcelable(null, 0);
        parcel.setDataPosition(0);
        Say.value("int", parcel.readInt());
        Say.value("long", parcel.readLong());
        Say.value("float", parcel.readFloat());
        Say.value("double", parcel.readDouble());
        Say.value("byte", parcel.readByte());
        Say.value("string", parcel.readString());
        Say.value("none", parcel.readString());
        Say.value("ints", Arrays.toString(parcel.createIntArray()));
        ClassLoader loader = Groups.class.getClassLoader();
        Pair pair = parcel.readParcelable(loader);
        Say.value("pair", pair.name + pair.value);
        Pair none = parcel.readParcelable(loader);
        Say.value("no pair", none);
        Say.value("past the end", parcel.readInt());
        parcel.recycle();
        Intent intent = new Intent().putExtra("pair", new Pair("b", 5)).putExtra("ints", new int[] {3});
        Pair extra = intent.getParcelableExtra("pair");
        Say.value("extra", extra.name + extra.value + Arrays.toString(intent.getIntArrayExtra("ints")));
        Bundle bundle = new Bundle();
        bundle.putParcelable("pair", pair);
        Pair same = bundle.getParcelable("pair");
        Say.value("same", same == pair);
        Pair wrong = bundle.getParcelable("other");
        Say.value("wrong", wrong);
    }
}

package org.wattline.touch;

/** Where a finger went: points that age, the oldest first. */
final class Stroke {
    private static final int CAPACITY = 64;
    private static final int OLD = 50;

    private final float[] xs = new float[CAPACITY];
    private final float[] ys = new float[CAPACITY];
    private final int[] ages = new int[CAPACITY];
    private int size;

    int size() {
        return size;
    }

    float x(int at) {
        return xs[at];
    }

    float y(int at) {
        return ys[at];
    }

    int age(int at) {
        return ages[at];
    }

    /** A point, half way back to the one before it, so that the line is smooth. */
    void add(float x, float y) {
        if (size == CAPACITY) {
            drop(1);
        }
        boolean isFirst = size == 0;
        xs[size] = isFirst ? x : (x + xs[size - 1]) / 2;
        ys[size] = isFirst ? y : (y + ys[size - 1]) / 2;
        ages[size] = 0;
        size++;
    }

    /** All points are a tick older; old ones go. */
    void grow() {
        int old = 0;
        for (int i = 0; i < size; i++) {
            ages[i]++;
            if (ages[i] > OLD) {
                old = i + 1;
            }
        }
        if (old > 0) {
            drop(old);
        }
    }

    void clear() {
        size = 0;
    }

    private void drop(int count) {
        size -= count;
        for (int i = 0; i < size; i++) {
            xs[i] = xs[i + count];
            ys[i] = ys[i + count];
            ages[i] = ages[i + count];
        }
    }
}

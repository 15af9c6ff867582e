package work;

/** The work. */
final class Rounds {
    private final int[] values;

    Rounds(int size) {
        values = new int[size];
    }

    double roots() {
        double sum = 0;
        for (int i = 1; i < values.length; i++) {
            double root = i;
            for (int step = 0; step < 4; step++) {
                root = (root + i / root) / 2;
            }
            sum += root;
        }
        return sum;
    }

    long digits() {
        long sum = 0;
        for (int i = 0; i < values.length; i++) {
            int rest = i * 7919;
            while (rest > 0) {
                sum += rest % 10;
                rest /= 10;
            }
        }
        return sum;
    }

    int sorted() {
        for (int i = 0; i < values.length; i++) {
            values[i] = i * 7919 % values.length;
        }
        for (int gap = values.length / 2; gap > 0; gap /= 2) {
            for (int i = gap; i < values.length; i++) {
                int moved = values[i];
                int at = i;
                while (at >= gap && values[at - gap] > moved) {
                    values[at] = values[at - gap];
                    at -= gap;
                }
                values[at] = moved;
            }
        }
        return values[values.length / 3];
    }
}

package hot;

/** Loops that hints are about: fields that stay, an element-wise copy, a small method. */
final class Loops {
    private int[] from;
    private int[] to;
    private int bend;
    private int shift;

    Loops(int size) {
        from = new int[size];
        to = new int[size];
        for (int i = 0; i < size; i++) {
            from[i] = i * 7919 % 1000;
        }
        bend = 3;
        shift = 5;
    }

    /** Reads three fields in every iteration. */
    long bent(int round) {
        long sum = round;
        for (int i = 0; i < 512; i++) {
            sum = sum + (from[i] * bend >> shift);
        }
        return sum;
    }

    /** Calls a small method in every iteration. */
    int mixed(int round) {
        int sum = round;
        for (int i = 0; i < 512; i++) {
            sum = mix(sum, i);
        }
        return sum;
    }

    static int mix(int a, int b) {
        return a * 31 + b;
    }

    /** Copies element by element. */
    void copied() {
        int[] from = this.from;
        int[] to = this.to;
        for (int i = 0; i < 512; i++) {
            to[i] = from[i];
        }
    }

    int describe() {
        return to[17];
    }
}

package game;

/** Methods that R8 inlines, changes and names alike. */
final class World {
    private final Ground ground;
    private final long[] cells;
    private int rounds;

    World(Ground ground, int size) {
        this.ground = ground;
        this.cells = new long[size];
    }

    /** Called once: inlined, with what it calls. */
    private long heavy(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += mixed(i % cells.length, sum);
        }
        return sum;
    }

    private long mixed(int at, long more) {
        cells[at] = cells[at] * 31 + more;
        return cells[at] >>> 7;
    }

    /** Called often: it stays, and loses its last argument. */
    private long light(int n, String unused) {
        long sum = n;
        for (int i = 0; i < n; i++) {
            int at = i % cells.length;
            cells[at] += sum;
            sum = sum * 33 + (cells[at] >>> 7) + i;
            if (cells[at] == sum) {
                cells[at] = rounds;
            }
        }
        return sum;
    }

    /** Of the same name when shrunk. */
    private double light(double[] values, int n) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            int at = i % values.length;
            sum = sum * 0.5 + values[at];
            values[at] += sum;
            if (values[at] > 1e9) {
                values[at] = rounds;
            }
        }
        return sum;
    }

    long round(int n) {
        rounds++;
        long sum = heavy(2 * n) + ground.slide(cells, n);
        double[] values = {1, 2, rounds};
        switch (rounds % 4) {
            case 0:
                return sum + light(n, "a") + (long) light(values, n + 1);
            case 1:
                return sum + light(n + 1, "b") + (long) light(values, n + 2);
            case 2:
                return sum - light(n + 2, "c") - (long) light(values, n + 3);
            default:
                return sum * light(n + 3, "d") + (long) light(values, n + 4);
        }
    }
}

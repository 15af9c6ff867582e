package wattline.demo;

/** Matrix multiplication in four types, and Fibonacci numbers by recursion. */
final class Programs {
    private static final int SIZE = 20;
    private static final int FIBONACCI = 19;

    private final int[][] ints = new int[SIZE][SIZE];
    private final long[][] longs = new long[SIZE][SIZE];
    private final float[][] floats = new float[SIZE][SIZE];
    private final double[][] doubles = new double[SIZE][SIZE];
    private final int[][] intProduct = new int[SIZE][SIZE];
    private final long[][] longProduct = new long[SIZE][SIZE];
    private final float[][] floatProduct = new float[SIZE][SIZE];
    private final double[][] doubleProduct = new double[SIZE][SIZE];
    private int chosen;
    private int number;

    Programs() {
        for (int i = 0; i < SIZE; i++) {
            for (int j = 0; j < SIZE; j++) {
                ints[i][j] = (7 * i + 3 * j) % 11;
                longs[i][j] = ints[i][j];
                floats[i][j] = ints[i][j] / 4f;
                doubles[i][j] = ints[i][j] / 4d;
            }
        }
    }

    /** 100: int, 200: long, 300: float, 400: double, 500: Fibonacci. */
    void choose(float x) {
        chosen = Math.round(x / 100);
    }

    void step() {
        switch (chosen) {
            case 1:
                multiplyInts();
                break;
            case 2:
                multiplyLongs();
                break;
            case 3:
                multiplyFloats();
                break;
            case 4:
                multiplyDoubles();
                break;
            case 5:
                number = fibonacci(FIBONACCI);
                break;
            default:
                break;
        }
    }

    private void multiplyInts() {
        for (int i = 0; i < SIZE; i++) {
            for (int j = 0; j < SIZE; j++) {
                int sum = 0;
                for (int k = 0; k < SIZE; k++) {
                    sum += ints[i][k] * ints[k][j];
                }
                intProduct[i][j] = sum;
            }
        }
    }

    private void multiplyLongs() {
        for (int i = 0; i < SIZE; i++) {
            for (int j = 0; j < SIZE; j++) {
                long sum = 0;
                for (int k = 0; k < SIZE; k++) {
                    sum += longs[i][k] * longs[k][j];
                }
                longProduct[i][j] = sum;
            }
        }
    }

    private void multiplyFloats() {
        for (int i = 0; i < SIZE; i++) {
            for (int j = 0; j < SIZE; j++) {
                float sum = 0;
                for (int k = 0; k < SIZE; k++) {
                    sum += floats[i][k] * floats[k][j];
                }
                floatProduct[i][j] = sum;
            }
        }
    }

    private void multiplyDoubles() {
        for (int i = 0; i < SIZE; i++) {
            for (int j = 0; j < SIZE; j++) {
                double sum = 0;
                for (int k = 0; k < SIZE; k++) {
                    sum += doubles[i][k] * doubles[k][j];
                }
                doubleProduct[i][j] = sum;
            }
        }
    }

    static int fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    String describe() {
        int last = SIZE - 1;
        return number + " " + intProduct[last][last] + " " + longProduct[last][last] + " "
                + floatProduct[last][last] + " " + doubleProduct[last][last];
    }
}

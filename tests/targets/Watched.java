/** Loops that call nothing, whose blocks follow from few probes: also if something is thrown. */
public class Watched {
    static final RuntimeException KNOWN = new RuntimeException("known");

    static int find(int[] a, int key) {
        int i = 0; //= entry 5
        while (a[i] != key) { //= while_1.test 16
            if (a[i] < 0) { //= while_1 12
                return -1; //= if_1 1
            }
            i++; //= after_1 11
        }
        return i; //= after_2 2
    }

    static int divide(int[] a, int by) {
        int sum = 0; //= entry 4
        for (int i = 0; i < a.length; i++) { //= for_1.init 4, for_1.test 14, for_1.update 10
            if (i == 3) { //= for_1 11
                sum += a[i] / by; //= if_1 2
            } else {
                sum += a[i]; //= else_1 9
            }
        }
        return sum; //= after_1 2
    }

    static int nested(int[][] rows, int key) {
        int sum = 0; //= entry 2
        outer:
        for (int[] row = rows[0]; ; row = rows[sum]) { //= for_1.init 2, for_1 5, for_1.update 4
            for (int i = 0; i < row.length; i++) { //= for_2.init 5, for_2.test 14, for_2.update 9
                if (row[i] == key) { //= for_2 11
                    sum++; //= if_1 1
                    continue outer;
                }
                if (row[i] == 9) { //= after_1 10
                    break outer; //= if_2 1
                }
            }
            sum++; //= after_2 3
        }
        return sum; //= after_3 1
    }

    static void thrown(int n) {
        do {
            n--; //= do_1 4
            if (n == 0) throw KNOWN; //= if_1 1
        } while (n != 9); //= do_1.test 3
    }

    static int finals(int n) {
        final int k; //= entry 2
        while (true) { //= while_1.test 5
            n++; //= while_1 5
            if (n > 3) {
                k = n; //= if_1 2
                break;
            }
        }
        final int after; //= after_1 2
        for (int i = 0; i < n; i++) n += i == 2 ? 1 : 0; //= for_1 10
        after = n; //= after_2 2
        return k + after;
    }

    public static void main(String[] args) throws Exception {
        int[] a = {3, 1, 4, 1, 5};
        System.out.println(find(a, 4) + " " + find(a, 5) + " " + find(new int[] {-1, 2}, 2));
        for (int round = 0; round < 2; round++) {
            try {
                find(round == 0 ? a : null, 9);
            } catch (ArrayIndexOutOfBoundsException e) {
                System.out.println(e.getMessage() + " " + e.getStackTrace()[0].getLineNumber());
            } catch (NullPointerException e) {
                System.out.println("null " + e.getStackTrace()[0].getLineNumber());
            }
        }
        System.out.println(divide(a, 2));
        for (int round = 0; round < 2; round++) {
            try {
                divide(round == 0 ? a : new int[] {1, 2}, 0);
                divide(null, 1);
            } catch (ArithmeticException e) {
                System.out.println(e.getMessage() + " " + e.getStackTrace()[0].getLineNumber());
            } catch (NullPointerException e) {
                System.out.println("null " + e.getStackTrace()[0].getLineNumber());
            }
        }
        int[][] rows = {{1, 2}, {3, 4, 5}, {9}};
        System.out.println(nested(rows, 2));
        try {
            nested(new int[][] {{1, 2}, {3, 4, 5}}, 100);
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        try {
            thrown(4);
        } catch (RuntimeException e) {
            System.out.println(e == KNOWN);
        }
        System.out.println(finals(0) + finals(3));
    }
}

/** Every loop. */
public class Loops {
    static final boolean FOREVER = true;
    static int calls;

    static boolean below(int n) {
        return calls++ < n; //= entry 11
    }

    static void counted() { //= entry 1
        for (int i = 0; i < 3; i++) { //= for_1.init 1, for_1.test 4, for_1.update 3
            calls += i; //= for_1 3
        }
        for (int i = 0, j = 9; i < j; i++, j--) //= after_1 1, for_2.init 1, for_2.test 6, for_2.update 5
            calls -= 1; //= for_2 5
        int k;
        for (k = 0; k < 2;) //= for_3.init 1, for_3.test 3
            k++; //= for_3 2
        for (;;) {
            if (k++ > 4) //= for_4 4
                break; //= if_1 1
        }
        for (;; k--) { //= for_5.update 6
            if (k == 0) return; //= for_5 7, if_2 1
        }
    }

    static int whiles() {
        calls = 0; //= entry 1
        while (below(3)) { //= while_1.test 4
        }
        while (true) { //= while_2.test 3
            if (calls++ > 5) { //= while_2 3
                break; //= if_1 1
            }
        }
        while (FOREVER) //= while_3.test 2
            if (calls++ > 7) break; //= while_3 2, if_2 1
        String line;
        int at = 0;
        String[] lines = {"a", "b", null};
        while ((line = lines[at++]) != null) { //= while_4.test 3
            System.out.println(line); //= while_4 2
        }
        int n;
        while (at < 9 && (n = at + 1) > 0) at = n; //= while_5.test 7, while_5 6
        while (at-- > 5); //= while_6.test 5, while_6 4
        return line == null ? at : -1; //= after_6 1
    }

    static int dos() {
        int i = 0; //= entry 1
        do i++; while (i < 3); //= do_1 3, do_1.test 3
        do {
            i += 2; //= do_2 1
        } while (false); //= do_2.test 1
        do {
            if (i++ < 7) continue; //= do_3 5, if_1 2
            if (i > 9) break; //= after_3 3, if_2 1
        } while (true); //= do_3.test 4
        do {
            if (i++ > 20) return i; //= do_4 12, if_3 1
        }
        while (FOREVER); //= do_4.test 11
    }

    static void each() {
        int sum = 0; //= entry 1
        for (int x : new int[] {1, 2, 3}) sum += x; //= foreach_1 3
        for (String s : java.util.Arrays.asList("p", "q")) { //= after_1 1
            System.out.println(s + sum); //= foreach_2 2
        }
        for (Object o : new Object[0]) { //= after_2 1, foreach_3 0
        }
    }

    static void labelled() {
        outer:
        for (int i = 0; i < 4; i++) { //= for_1.init 1, for_1.test 4, for_1.update 3
            inner:
            while (true) { //= while_1.test 4
                switch (i) { //= while_1 4
                    case 0: continue outer; //= case_1 1
                    case 1: break inner; //= case_2 1
                    case 3: break outer; //= case_3 1
                    default:
                }
                break; //= after_1 1
            }
            System.out.println(i); //= after_2 2
        }
        block: {
            if (calls > 0) break block; //= after_3 1, if_1 1
            System.out.println("never"); //= after_4 0
        }
        System.out.println("after"); //= after_5 1
    }

    static int dangling(int a, int b) {
        if (a > 0) if (b > 0) return 1; else return 2; //= entry 3, if_1 2, if_2 1, else_2 1
        for (int i = 0; i < 2; i++) if (i == 1) for (int j = 0; j < 1; j++) a += j; //= for_1.init 1, for_1.test 3, for_1 2, if_3 1, for_2.init 1, for_2.test 2, for_2 1, for_2.update 1
        return a; //= after_2 1
    }

    static int patterns(Object o) {
        int n = 0; //= entry 1
        while (n < 3 && o instanceof String s && s.length() > n) { //= while_1.test 2
            n += s.length(); //= while_1 1
        }
        return n; //= after_1 1
    }

    public static void main(String[] args) {
        counted();
        System.out.println(whiles());
        System.out.println(dos());
        each();
        labelled();
        System.out.println(dangling(1, 1) + dangling(1, 0) + dangling(0, 0));
        System.out.println(patterns("ab"));
        calls = 0;
        for (int i = 0; i < 7; i++) below(i);
    }
} // the file ends without a line end
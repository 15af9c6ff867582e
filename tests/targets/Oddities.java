import java.lang.reflect.Field;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/* Places where text can be mistaken: comments, escapes, constants, labels, names. */
public class Oddities {
    static final boolean DEBUG = false, ON = !DEBUG;
    static final int LEVEL = 3;

    // Names like the runtime's own.
    static class W {
        static int c(int id) {
            return id; //= entry 2
        }
    }

    static int wattline = 1;
    static int wattline$rt = 2;

    static int comments(int n) { /* { */ // }
        if /* why */ (n > 0 /* ) */) // { //= entry 1
            /* ; */ n++; // x //= if_1 0
        else /* never */ n--; // y //= else_1 1
        /* before */ for /* a */ ( /* b */ ; /* c */ n < 4 /* d */ ; /* e */ n++ /* f */ ) /* g */ ; /* h */ //= after_1 1, for_1.test 6, for_1.update 5, for_1 5
        while /* i */ ( /* j */ n-- > 2 /* k */ ) /* l */ { /* m */ } /* n */ //= after_2 1, while_1.test 3, while_1 2
        do /* o */ n++; /* p */ while /* q */ (n < 3 /* r */) /* s */ ; /* t */ //= do_1 2, do_1.test 2
        return n; //= after_4 1
    }

    static int escapes() {
        char quote = '\''; //= entry 1
        String s = "{ \" } // \\" + '"' + "\u0041\u007b";
        int \u0061b = 1;
        if (ab > 0) \u007b ab += s.length(); \u007d //= if_1 1
        return ab + quote; //= after_1 1
    }

    static int constants() {
        int n = 0; //= entry 1
        if (DEBUG) { n = 9; } //= if_1 0
        if (LEVEL > 2) { n++; } //= after_1 1, if_2 1
        while (ON) { //= after_2 1
            if (n++ > 3) break; //= while_1 4, if_3 1
        }
        while (LEVEL == 3) { //= while_2.test 2
            if (n++ > 5) break; //= while_2 2, if_4 1
        }
        for (; 1 < 2;) { //= for_1.test 3
            if (n++ > 8) break; //= for_1 3, if_5 1
        }
        for (; !DEBUG && ON; n++) { //= for_2.test 1
            return n; //= for_2 1
        }
    }

    static int assigned(boolean b) {
        final int x; //= entry 2
        if (b) x = 1; else x = 2; //= if_1 1, else_1 1
        int y; //= after_1 2
        while (true) {
            if (b) { y = x; break; } //= while_1 3, if_2 2
            b = true; //= after_2 1
        }
        final int z;
        do { z = y; break; } while (true); //= do_1 2
        int k; //= after_4 2
        for (;;) { k = z; break; } //= for_1 2
        final int w;
        switch (k) {
            case 1: w = 10; break; //= case_1 1
            default: w = 20; //= case_2 1
        }
        int v;
        boolean ok = k > 0 && (v = w) > 0 && v > 1;
        try { v = Integer.parseInt("7"); } finally { k++; } //= try_1 2, finally 2
        return v + k + w + (ok ? 1 : 0); //= after_7 2
    }

    static int labels(int n) {
        a: b: c:
        for (int i = 0; ; i++) { //= for_1.init 1, for_1.update 2
            if (i == 2) break b; //= for_1 3, if_1 1
            continue c; //= after_1 2
        }
        d: if (n > 0) { break d; } //= after_2 1, if_2 1
        e: { n++; if (n > 1) break e; n = 100; } //= after_3 1, if_3 1
        f: do { continue f; } while (n++ < 3); //= after_5 1, do_1 2, do_1.test 2
        g: synchronized (Oddities.class) { if (n > 0) break g; n = 0; } //= after_6 1, if_4 1, after_7 0
        return n; //= after_8 1
    }

    static String arrows(Object o) {
        int n = o instanceof Integer i && i > 1 ? i : 0; //= entry 3
        return switch (n) {
            case 0 -> o.toString(); //= case_1 1
            case 2, 3 -> { String s = "two"; yield s; } //= case_2 1
            default -> throw new IllegalArgumentException("n " + n); //= case_3 1
        };
    }

    static int empty(int n) {
        ; //= entry 1
        {} ;
        if (n > 0) ; else ; //= if_1 1, else_1 0
        switch (n) {} //= after_1 1
        switch (n) { case 5: }
        for (int i = 0; i < 2; i++); //= for_1.init 1, for_1.test 3, for_1.update 2, for_1 2
        try {} finally {} //= after_2 1, try_1 1
        return n; //= after_3 1
    }

    static Supplier<IntFunction<String>> nested() {
        return () -> (int n) -> n > 0 ? "p" : "q"; //= lambda_1 1, lambda_1.lambda_1 1
    }

    static int caught() {
        int[] a = new int[3]; //= entry 1
        int n = 0;
        try {
            for (int i = 0; ; i++) { //= for_1.init 1, for_1.update 3
                n += a[i] + 1; //= for_1 4
            }
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage() + e.getStackTrace()[0].getLineNumber()); //= catch_1 1
        }
        return n; //= after_1 1
    }

    static int thrownInLoops() {
        int n = 0; //= entry 1
        String[] words = {"a", "bb", null, "c"};
        try {
            for (int i = 0; i < 2; i++) { //= for_1.init 1, for_1.test 1, for_1.update 0
                int j = 0; //= for_1 1
                while (j < 4) { //= while_1.test 3
                    n += words[j++].length(); //= while_1 3
                }
            }
        } catch (NullPointerException e) {
            System.out.println(e.getStackTrace()[0].getLineNumber()); //= catch_1 1
        }
        int[] squares = new int[5]; //= after_1 1
        try {
            for (int i = 0; i < 9; i++) { //= for_2.init 1, for_2.test 6, for_2.update 5
                for (int k = 0; k < 2; k++) squares[i] += k * i; //= for_3.init 6, for_3.test 16, for_3.update 10, for_3 11
            }
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getStackTrace()[0].getLineNumber()); //= catch_1 1
        }
        for (int i = 3; ; i--) { //= for_4.init 1, for_4.update 3
            try {
                n += 12 / i; //= try_3 4
            } catch (ArithmeticException e) {
                break; //= catch_1 1
            }
        }
        return n; //= after_3 1
    }

    public static void main(String[] args) throws Exception {
        System.out.println(comments(0) + " " + escapes() + " " + constants() + " " + labels(1));
        System.out.println(assigned(true) + assigned(false));
        System.out.println(arrows("s") + arrows(3));
        try {
            arrows(9);
        } catch (IllegalArgumentException e) {
            e.printStackTrace();
        }
        System.out.println(empty(1) + nested().get().apply(1) + caught() + thrownInLoops());
        System.out.println(W.c(1) + W.c(wattline + wattline$rt));
        for (Field field : Oddities.class.getDeclaredFields()) System.out.println(field);
        System.out.println(Oddities.class.getDeclaredMethods().length);
    }
}

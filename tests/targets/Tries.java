import java.io.Closeable;
import java.io.IOException;

/** Exceptions: the same stack traces, on the same lines. */
public class Tries {
    static class Door implements Closeable {
        final int n;

        Door(int n) {
            this.n = n; //= entry 3
        }

        @Override
        public void close() throws IOException {
            System.out.println("close " + n); //= entry 3
            if (n == 2)
                throw new IOException("stuck"); //= if_1 1
        }
    }

    static int depth(int n) {
        try {
            if (n == 0) throw new IllegalArgumentException("zero"); //= try_1 3, if_1 1
            return n; //= after_1 2
        } catch (IllegalArgumentException | NullPointerException e) {
            e.printStackTrace(); //= catch_1 1
        } finally {
            System.out.println("finally"); //= finally 3
        }
        return -1; //= after_2 1
    }

    static void doors() throws IOException {
        try (Door a = new Door(1);
                Door b = new Door(3)) {
            System.out.println(a.n + b.n); //= try_1 1
        }
        try (Door c = new Door(2)) { //= after_1 1
            System.out.println(c.n); //= try_2 1
        } catch (IOException e) {
            System.out.println(e.getMessage()); //= catch_1 1
        }
    }

    static int nested() {
        int r = 0; //= entry 1
        synchronized (Tries.class) {
            for (int i = 0; i < 3; i++) { //= for_1.init 1, for_1.test 3, for_1.update 2, for_1 3
                try {
                    r += 10 / (2 - i); //= try_1 3
                    if (r > 1) continue; //= if_1 2
                } catch (ArithmeticException e) {
                    return r; //= catch_1 1
                } finally { r++; } //= finally 3
                r = 100; //= after_1 0
            }
            r = 7; //= after_2 0
        }
        return r;
    }

    public static void main(String[] args) throws IOException {
        for (int i = 0; i < 3; i++) System.out.println(depth(i));
        doors();
        System.out.println(nested());
        int[] a = new int[1];
        if (args.length == 0)
            a[
                1] = 2;
    }
}

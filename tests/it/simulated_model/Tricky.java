import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;

/** Bytecode shapes that are hard to weave; what it prints must not change. */
public class Tricky {
    enum Colour {
        RED(1), GREEN(2) {
            @Override
            int twice() {
                return 40;
            }
        };

        final int code;

        Colour(int code) {
            this.code = code;
        }

        int twice() {
            return 2 * code;
        }
    }

    class Inner {
        final long value;

        Inner(long value) {
            this.value = value + base;
        }
    }

    static class Grown extends ArrayList<String> {
        @Override
        public boolean add(String text) {
            return super.add(text + "!");
        }
    }

    interface Shape {
        default double area() {
            return 1.5;
        }
    }

    static long base = 3;

    public static void main(String[] args) throws Exception {
        creations(args.length == 0);
        flow();
        numbers(5L, 2.5, 1.5f);
        amounts();
        time();
        System.out.println(large(3));
    }

    static void creations(boolean flag) {
        StringBuilder text = new StringBuilder(flag ? new String("yes") : new String("no"));
        Object made = flag ? new Object() : new int[0];
        int count = 0;
        do {
            new Tricky().new Inner(count);
        } while (++count < 3);
        while (true) {
            new Grown().add("x");
            if (count++ > 5) {
                break;
            }
        }
        int[][] grid = new int[3][4];
        long[][][] deep = new long[2][2][];
        Object[] none = new Object[count];
        System.out.println(text.append(made == null).append(grid[2].length).append(deep.length).append(none.length));
        Shape shape = new Shape() { };
        System.out.println(shape.area() + " " + shape.equals(shape) + shape.hashCode() / 1000000000000L);
    }

    static void flow() {
        for (String word : new String[] {"a", "bb", "ccc", "dddd"}) {
            switch (word) {
                case "a":
                    System.out.println("one");
                case "bb":
                    System.out.println("two");
                    break;
                default:
                    System.out.println(word.length() > 3 ? "long" : "short");
            }
        }
        try {
            Object o = "text";
            synchronized (o) {
                Integer i = (Integer) o;
            }
        } catch (ClassCastException e) {
            System.out.println("caught " + (e.getMessage() != null));
        } finally {
            System.out.println("finally");
        }
        for (Colour colour : Colour.values()) {
            switch (colour) {
                case RED:
                    System.out.println(colour.twice());
                    break;
                default:
                    System.out.println(-colour.twice());
            }
        }
        IntUnaryOperator add = x -> x + 7;
        System.out.println(add.applyAsInt(1) + Colour.valueOf("RED").code);
    }

    static void numbers(long l, double d, float f) {
        int i = (int) d % 7 ^ -1;
        long m = ~l << 3 >>> 2;
        System.out.println(i + " " + m + " " + (l > m) + (d < f) + (f != d) + (byte) 300 + (char) 66 + -d);
        i = i == 0 ? 1 : 2;
        boolean both = l > 2 && d > 2 || f > 7;
        System.out.println(i + " " + both + (both ? l : m));
    }

    static void amounts() {
        int[] from = new int[100];
        long[] longs = new long[30];
        Arrays.fill(from, 7);
        Arrays.fill(longs, 9L);
        System.arraycopy(from, 0, new int[64], 4, 60);
        FloatBuffer out = FloatBuffer.allocate(50);
        out.put(new float[20]).put(1f);
        FloatBuffer rest = FloatBuffer.wrap(new float[9]);
        rest.position(2);
        out.put(rest);
        List<String> words = new ArrayList<>(Collections.nCopies(11, "w"));
        words.addAll(Arrays.asList("a", "b", "c"));
        System.out.println("wattline".substring(2, 6) + out.position() + words.size() + longs[29] + Math.max(1, 2));
    }

    static void time() throws Exception {
        long start = System.nanoTime();
        LongSupplier clock = System::nanoTime;
        long wall = System.currentTimeMillis();
        Thread.sleep(100);
        Thread.sleep(10, 500);
        TimeUnit.MILLISECONDS.sleep(7);
        LockSupport.parkNanos(1000000);
        // A busy machine may sleep longer; never shorter.
        long slept = clock.getAsLong() - start;
        System.out.println((slept >= 100000000) + " " + (System.currentTimeMillis() - wall >= 100));
    }

    /** With counters its jumps are too far for two bytes, and inline counters too large. */
    static int large(int x) {
        for (int i = 0; i < 2; i++) {
            LARGE
        }
        return x;
    }
}

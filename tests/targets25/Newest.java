import java.util.List;

/** What Java has had since 21: patterns, statements before super(), unnamed variables. */
public class Newest {
    sealed interface Shape permits Dot, Group {
    }

    record Dot(int x, String name) implements Shape {
        Dot {
            if (x < 0) throw new IllegalArgumentException("negative"); //= entry 7, if_1 1
        }
    }

    record Group(Dot dot, List<String> names) implements Shape {
    }

    static class Base {
        final int size;

        Base(int size) {
            this.size = size; //= entry 2
            show();
        }

        void show() {
            System.out.println("base " + size); //= entry 0
        }
    }

    static class Sub extends Base {
        final int sum;
        int z = 7; //= fields 2

        Sub(int n) {
            if (n < 0) throw new IllegalArgumentException("n"); //= entry 3, if_1 1
            int s = 0; //= after_1 2
            for (int i = 0; i < n; i++) s += i; //= for_1.init 2, for_1.test 10, for_1.update 8, for_1 8
            this.sum = s; //= after_2 2
            super(s * 2);
            z++;
        }

        Sub() {
            int k = 3; //= entry 1
            while (k-- > 1) System.out.println("k" + k); //= while_1.test 3, while_1 2
            this(k + 4); //= after_1 1
            System.out.println("after");
        }

        @Override
        void show() {
            System.out.println("sub " + sum + " " + z); //= entry 2
        }
    }

    static String name(Object o) {
        return switch (o) { //= entry 7
            case Dot(int x, var s) when x > 3 && s.length() > 1 -> "big " + s; //= case_1 1
            case Dot(var x, _) -> { //= case_2 2
                if (x == 0) yield "zero"; //= if_1 1
                yield "small"; //= after_1 1
            }
            case Group(Dot(int x, _), var l) -> l.isEmpty() ? "e" + x : l.get(0); //= case_3 1
            case Integer i when i > 10 -> "int"; //= case_4 1
            case null -> "null"; //= case_5 1
            default -> { //= case_6 1
                try {
                    yield o.toString(); //= try_1 1
                } finally {
                    System.out.println("finally"); //= finally 1
                }
            }
        };
    }

    static int scope(Object o) {
        if (!(o instanceof Dot(int x, String s) && x > 0)) return -1; //= entry 2, if_1 1
        while (!(o instanceof Group group)) { //= after_1 1, while_1.test ?
            o = new Group(new Dot(x, s), List.of()); //= while_1 1
        }
        return group.dot().x() + x; //= after_2 1
    }

    static int unnamed() {
        int n = 0; //= entry 1
        for (var _ : List.of(1, 2)) n++; //= foreach_1 2
        try { //= after_1 1
            n += Integer.parseInt("x"); //= try_1 1
        } catch (NumberFormatException _) {
            n *= 10; //= catch_1 1
        }
        return n; //= after_2 1
    }

    interface Part {
        private int own() {
            return 5; //= entry 1
        }

        default int all() {
            return own() + 1; //= entry 1
        }
    }

    void main() {
        List<String> h = List.of("h");
        System.out.println(name(new Dot(5, "abc")) + name(new Dot(0, "")) + name(new Dot(1, "")));
        System.out.println(name(new Group(null == h ? null : new Dot(1, ""), h)) + name(11));
        System.out.println(name(null) + name("text") + unnamed() + new Part() { }.all());
        System.out.println(scope("x"));
        new Sub(4);
        new Sub();
        try {
            new Sub(-1);
        } catch (IllegalArgumentException e) {
            System.out.println(e + " " + e.getStackTrace()[0].getLineNumber());
        }
        System.out.println("""
            a text "block" \
            of one line""");
        try (var each = java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor()) {
            each.submit(() -> { // whose end is waited for as long as it is begun
                for (int i = 0; i < 1000; i++) Thread.onSpinWait(); //= for_1.test 1001, for_1 1000
            });
        }
        System.out.println(scope(new Dot(2, "s")));
        new Dot(-1, "");
    }
}

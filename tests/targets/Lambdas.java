import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** Lambdas of every shape; overloads stay chosen as they were. */
public class Lambdas {
    static int n;

    static void choose(Runnable r) {
        r.run(); //= entry 3
        System.out.println("runnable");
    }

    static void choose(Callable<?> c) throws Exception {
        System.out.println("callable " + c.call()); //= entry 5
    }

    static void quiet() {
        n++; //= entry 2
    }

    static int loud() {
        return ++n; //= entry 2
    }

    static class Node {
        Node next;
        int value = 1;

        Node next() {
            return next = new Node(); //= entry 1
        }
    }

    public static void main(String[] args) throws Exception {
        List<String> list = new ArrayList<>();
        choose(() -> quiet()); //= lambda_1 1
        choose(() -> loud()); //= lambda_2 1
        choose(() -> n++); //= lambda_3 1
        choose(() -> list.add("x")); //= lambda_4 1
        choose(() -> list.clear()); //= lambda_5 1
        choose(() -> new ArrayList<>()); //= lambda_6 1
        choose(() -> 5); //= lambda_7 1
        choose(() -> { n = 2; }); //= lambda_8 1
        IntUnaryOperator twice = x -> x * 2; //= lambda_9 3
        Function<Integer, Function<Integer, Integer>> add = x -> y -> x + y; //= lambda_10 1
        Supplier<Supplier<String>> nest = () -> () -> { //= lambda_11 1
            if (n > 0) return "deep"; //= lambda_11.lambda_1 1, if_1 1
            return "never"; //= after_1 0
        };
        ToLongFunction<String> length = s -> s.length(); //= lambda_12 1
        byte[] small = new byte[1];
        Supplier<Number> assigned = () -> small[0] = 3; //= lambda_13 1
        Supplier<List<String>> diamond = () -> new ArrayList<>(); //= lambda_14 1
        Node node = new Node();
        Runnable chain = () -> node.next().next(); //= lambda_15 0
        Supplier<Node> first = () -> node.next(); //= lambda_16 1
        Runnable out = () -> System.out.println("type receiver"); //= lambda_17 ?
        System.out.println(twice.applyAsInt(1) + twice.andThen(twice).applyAsInt(2));
        System.out.println(add.apply(1).apply(2) + nest.get().get() + length.applyAsLong("abc"));
        System.out.println(assigned.get() + " " + diamond.get() + first.get().value);
        out.run();
        loud();
        quiet();
        new Thread(chain).getState();
    }
}

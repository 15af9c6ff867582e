import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.util.Arrays;

/** Fields, initialiser blocks, constructors, enums, interfaces; and what reflection sees. */
public class Initializers {
    static class Plain implements Serializable {
        static final int CONSTANT = 4 * 2; //= clinit ?
        int a = 3; //= fields 2
        int b;

        Plain() {
            this(5); //= entry 1
        }

        Plain(int b) {
            super(); //= entry 2
            this.b = b;
        }
    }

    static class Busy implements Serializable {
        static int made = start(1); //= clinit 1
        static {
            if (made > 0) made++; //= if_1 1
            made++; //= after_1 1
        }
        static int later = start(2);
        final int id;
        {
            id = made;
            for (int i = 0; i < 2; i++) { made += i; } //= for_1.init 2, for_1.test 6, for_1 4
        }

        /** A comment before the field. */
        int after = made; //= after_1 2

        static int start(int n) {
            System.out.println("start " + n); //= entry 3
            return n;
        }
    }

    static class Sub extends Plain {
        Sub(int n) {
            super(n > 0 ? 1 : 2); //= entry 1
        }
    }

    enum Bare { A, B }

    enum Rich {
        ONE(1) { //= clinit 1
            @Override
            int twice() {
                return 2; //= entry 1
            }
        },
        TWO(2),;

        final int n;
        String s = "s" + name(); //= fields 2

        Rich(int n) {
            this.n = n; //= entry 2
        }

        int twice() {
            return n * 2; //= entry 1
        }
    }

    enum Counted {
        X(Busy.start(0)), Y(0); //= clinit 1
        Counted(int n) { } //= entry 2
    }

    enum NoSemicolon { P, Q } //= clinit 1

    interface Constants {
        int[] TABLE = {1, 2}; //= clinit ?

        default int sum() {
            return TABLE[0] + TABLE[1]; //= entry 1
        }

        static int zero() {
            return 0; //= entry 1
        }
    }

    record Point(int x, int y) {
        static int points = Integer.parseInt("0"); //= clinit 1

        Point {
            if (x < 0) throw new IllegalArgumentException(); //= entry 2, if_1 0
            points++; //= after_1 2
        }

        Point(int both) {
            this(both, both); //= entry 1
        }
    }

    public static void main(String[] args) {
        System.out.println(new Plain().b + new Sub(1).b);
        System.out.println(new Busy().after + new Busy().id);
        for (Rich rich : Rich.values()) System.out.println(rich.twice() + rich.s);
        System.out.println(Arrays.toString(Counted.values()) + NoSemicolon.P + Bare.A);
        System.out.println(new Constants() { }.sum() + Constants.zero());
        System.out.println(new Point(3) + " " + new Point(1, 2).x() + Point.points);
        for (Class<?> c : new Class<?>[] {Plain.class, Busy.class, Rich.class, Point.class}) {
            System.out.println(Arrays.toString(c.getDeclaredFields()) + c.getDeclaredMethods().length);
            System.out.println(Arrays.toString(c.getDeclaredConstructors()));
        }
        System.out.println(ObjectStreamClass.lookup(Plain.class).getSerialVersionUID());
        System.out.println(ObjectStreamClass.lookup(Busy.class).getSerialVersionUID());
    }
}

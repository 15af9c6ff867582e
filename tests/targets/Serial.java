import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Arrays;

/** The computed serialVersionUID depends on members, static initialisers among them. */
public class Serial {
    @SuppressWarnings("serial")
    static class Stored implements Serializable {
        static int counter = Integer.parseInt("4"); //= clinit 1
        int x = counter++; //= fields 2

        int twice() {
            return x > 3 ? 2 * x : x; //= entry 1
        }
    }

    @SuppressWarnings("serial")
    static class Constants implements Serializable {
        static final int A = 3; //= clinit ?
        static final String B = "b" + A;
        int x;
    }

    @SuppressWarnings("serial")
    static class Plain implements Serializable {
        Runnable r = () -> { //= fields 1, lambda_1 1
            for (int i = 0; i < 3; i++) System.out.print(i); //= for_1 3
        };
    }

    private static void members(Class<?> type) {
        System.out.println(type.getName() + " " + ObjectStreamClass.lookup(type).getSerialVersionUID()); //= entry 3
        Method[] methods = type.getDeclaredMethods();
        Constructor<?>[] constructors = type.getDeclaredConstructors();
        System.out.println(methods.length + Arrays.toString(constructors) + Arrays.toString(type.getDeclaredFields()));
    }

    public static void main(String[] args) {
        members(Stored.class); //= entry 1
        members(Constants.class);
        members(Plain.class);
        new Plain().r.run();
        System.out.println(new Stored().twice() + new Stored().x + Constants.B);
    }
}

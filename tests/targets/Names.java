import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Anonymous and local classes, which javac numbers in its own order; each says its line. */
public class Names {
    Object field = new Object() { { say(this, 7); } };

    static void say(Object o, int line) {
        System.out.println("class " + o.getClass().getName() + " " + line);
    }

    static <T> T same(T a, Object b) {
        return a;
    }

    static Object plain(Object a, Object b) {
        return a;
    }

    static Object made(Supplier<Object> a, Object b) {
        return a.get();
    }

    static class Inner {
        Object field = new Object() { { say(this, 26); } };

        Inner with(Object o) {
            return this;
        }
    }

    void locals() {
        class Local {
            { say(this, 35); }
            Object o = new Object() { { say(this, 36); } };
        }
        new Local();
        {
            class Other { { say(this, 40); } }
            new Other();
        }
        Runnable r = () -> {
            class Third { { say(this, 44); } }
            new Third();
        };
        r.run();
    }

    void arguments() {
        plain(
            same(new Object() { { say(this, 52); } }, ""),
            new Object() { { say(this, 53); } });
        made(
            () -> new Object() { { say(this, 55); } },
            new Object() { { say(this, 56); } });
        new Inner().with(new Object() { { say(this, 57); } }).with(
            new Object() { { say(this, 58); } });
        plain((new Object() { { say(this, 59); } }),
            new Object() { { say(this, 60); } });
        plain(field == null ? null : new Object() { { say(this, 61); } },
            new Object() { { say(this, 62); } });
        List<Object> list = new ArrayList<Object>(
            plain(new Object() { { say(this, 64); } }, null) == null ? null : new ArrayList<>()) {
            { say(this, 65); }
        };
    }

    enum Constant {
        A { { say(this, 70); } },
        B(new Object() { { say(this, 71); } }) {
            { say(this, 72); } };

        Constant(Object... o) {
        }

        Object o = new Object() { { say(this, 77); } };
    }

    public static void main(String[] args) {
        new Names().locals();
        new Names().arguments();
        new Inner();
        System.out.println(Constant.A);
    }
}

package android.os;

/** What android.os.Trace offers, for the test of the API's other way out. */
public class Trace {
    public static void beginSection(String name) {
        System.out.println("B|" + name);
    }

    public static void endSection() {
        System.out.println("E");
    }
}

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Computes for MILLISECONDS of CPU time in calls of `works`, whose number it prints, and ends by WAY:
 * `returns`, `exits` or `halts`.
 */
public final class Ends {
    private static long sink = 1;

    private Ends() {
    }

    private static void works() {
        long x = sink;
        for (int i = 0; i < 500_000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        sink = x;
    }

    public static void main(String[] arguments) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long end = Long.parseLong(arguments[0]) * 1_000_000;
        int calls = 0;
        for (; threads.getCurrentThreadCpuTime() < end; calls++) {
            works();
        }
        System.out.println("calls " + calls);
        System.out.flush();
        switch (arguments[1]) {
            case "exits":
                System.exit(0);
                break;
            case "halts":
                Runtime.getRuntime().halt(0);
                break;
            default:
        }
    }
}

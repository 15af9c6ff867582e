import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;

/**
 * Four methods that compute, from some 0.2 us to 0.2 ms a call. The program measures itself
 * what CPU time the calls of each take, in long runs of one method, and says so at
 * its end: what a monitor is held against. It ends after SECONDS of CPU time. Rounds
 * are of random lengths, so that no sampler's period goes with theirs, and no compiler folds
 * the steps of their loops.
 */
public final class Shares {
    private static long sink = 1;

    private Shares() {
    }

    private static void tiny() {
        long x = sink;
        for (int i = 0; i < 100; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        sink = x;
    }

    private static void small() {
        long x = sink;
        for (int i = 0; i < 1000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        sink = x;
    }

    private static void middle() {
        long x = sink;
        for (int i = 0; i < 10000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        sink = x;
    }

    private static void large() {
        long x = sink;
        for (int i = 0; i < 100000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        sink = x;
    }

    public static void main(String[] arguments) {
        double seconds = Double.parseDouble(arguments[0]);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        String[] names = {"tiny", "small", "middle", "large"};
        long[] used = new long[4];
        Random random = new Random(1);
        while (used[0] + used[1] + used[2] + used[3] < seconds * 1e9) {
            int times = 1 + random.nextInt(3);
            long begin = threads.getCurrentThreadCpuTime();
            for (int which = 0; which < 4; which++) {
                for (int i = 0; i < times; i++) {
                    run(which);
                }
                long now = threads.getCurrentThreadCpuTime();
                used[which] += now - begin;
                begin = now;
            }
        }
        double all = used[0] + used[1] + used[2] + used[3];
        for (int which = 0; which < 4; which++) {
            System.out.println("share " + names[which] + " " + used[which] / all);
        }
        System.out.println("sink " + sink);
    }

    private static void run(int which) {
        switch (which) {
            case 0:
                for (int i = 0; i < 2000; i++) {
                    tiny();
                }
                break;
            case 1:
                for (int i = 0; i < 400; i++) {
                    small();
                }
                break;
            case 2:
                for (int i = 0; i < 10; i++) {
                    middle();
                }
                break;
            default:
                large();
        }
    }
}

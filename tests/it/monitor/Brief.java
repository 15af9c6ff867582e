import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Threads of 50 to 450 ms do all of the work, two at a time: three parts of it in `heavy`, one
 * in `light`. The program measures what CPU time the two take, and says so at its end.
 * It ends after SECONDS of that.
 */
public final class Brief {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final AtomicLongArray USED = new AtomicLongArray(2);
    private static volatile long sink = 1;

    private Brief() {
    }

    private static long heavy() {
        long x = sink;
        for (int i = 0; i < 300_000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static long light() {
        long x = sink;
        for (int i = 0; i < 100_000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static void works(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        long x = 0;
        while (System.nanoTime() < end) {
            long begin = THREADS.getCurrentThreadCpuTime();
            x ^= heavy();
            long middle = THREADS.getCurrentThreadCpuTime();
            x ^= light();
            USED.addAndGet(0, middle - begin);
            USED.addAndGet(1, THREADS.getCurrentThreadCpuTime() - middle);
        }
        sink = x | 1;
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Double.parseDouble(arguments[0]);
        Random random = new Random(1);
        Thread[] two = new Thread[2];
        while (USED.get(0) + USED.get(1) < seconds * 1e9) {
            for (int i = 0; i < two.length; i++) {
                long millis = 50 + random.nextInt(400);
                two[i] = new Thread(() -> works(millis));
                two[i].start();
            }
            for (Thread one : two) {
                one.join();
            }
        }
        double all = USED.get(0) + USED.get(1);
        System.out.println("share heavy " + USED.get(0) / all);
        System.out.println("share light " + USED.get(1) / all);
        System.out.println("used " + all / 1e9);
    }
}

import java.util.concurrent.atomic.AtomicLong;

/**
 * Virtual threads do all of the work, for SECONDS: three parts in `heavy`, one in `light`, and
 * between them they wait. What they do by the number of their steps is said at the end.
 */
public final class Virtual {
    private static final AtomicLong ROUNDS = new AtomicLong();
    private static volatile long sink = 1;

    private Virtual() {
    }

    private static long heavy() {
        long x = sink;
        for (int i = 0; i < 1_500_000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static long light() {
        long x = sink;
        for (int i = 0; i < 500_000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static void works() {
        try {
            long x = heavy();
            Thread.sleep(2);
            sink = (x ^ light()) | 1;
            ROUNDS.incrementAndGet();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        long end = System.nanoTime() + (long) (Double.parseDouble(arguments[0]) * 1e9);
        Thread[] some = new Thread[4];
        while (System.nanoTime() < end) {
            for (int i = 0; i < some.length; i++) {
                some[i] = Thread.ofVirtual().start(Virtual::works);
            }
            for (Thread one : some) {
                one.join();
            }
        }
        System.out.println("rounds " + ROUNDS.get());
        System.out.println("share heavy 0.75");
        System.out.println("share light 0.25");
    }
}

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;
import java.util.zip.Deflater;

/**
 * Two methods that compute, one of them in a native method, for half of the time each. The
 * program measures itself what processor time they take, and says so at its end.
 */
public final class Deflates {
    private static final byte[] TEXT = new byte[60_000];
    private static final byte[] PACKED = new byte[70_000];
    private static long sink = 1;

    private Deflates() {
    }

    private static void computes() {
        long x = sink;
        for (int i = 0; i < 400_000; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        sink = x;
    }

    private static void deflates(Deflater deflater) {
        deflater.reset();
        deflater.setInput(TEXT);
        deflater.finish();
        sink += deflater.deflate(PACKED);
    }

    public static void main(String[] arguments) {
        Random random = new Random(1);
        for (int i = 0; i < TEXT.length; i++) {
            TEXT[i] = (byte) random.nextInt(20);
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Deflater deflater = new Deflater();
        long[] used = new long[2];
        long end = System.nanoTime() + (long) (Double.parseDouble(arguments[0]) * 1e9);
        while (System.nanoTime() < end) {
            long begin = threads.getCurrentThreadCpuTime();
            computes();
            used[0] += threads.getCurrentThreadCpuTime() - begin;
            while (used[1] < used[0]) {
                begin = threads.getCurrentThreadCpuTime();
                deflates(deflater);
                used[1] += threads.getCurrentThreadCpuTime() - begin;
            }
        }
        double all = used[0] + used[1];
        System.out.println("share computes " + used[0] / all);
        System.out.println("share deflates " + used[1] / all);
        System.out.println("sink " + sink);
    }
}

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Two methods, of which one computes and the other calls the system, for half of the time
 * each. The program measures itself what processor time they take, and says so at its end.
 */
public final class Writes {
    private static final byte[] TEXT = new byte[8192];
    private static long sink = 1;

    private Writes() {
    }

    private static void computes() {
        long x = sink;
        for (int i = 0; i < 400_000; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        sink = x;
    }

    private static void writes(RandomAccessFile file) throws IOException {
        file.seek(0);
        for (int i = 0; i < 100; i++) {
            file.write(TEXT);
        }
    }

    public static void main(String[] arguments) throws IOException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long[] used = new long[2];
        long end = System.nanoTime() + (long) (Double.parseDouble(arguments[0]) * 1e9);
        File place = File.createTempFile("writes", null);
        place.deleteOnExit();
        try (RandomAccessFile file = new RandomAccessFile(place, "rw")) {
            while (System.nanoTime() < end) {
                long begin = threads.getCurrentThreadCpuTime();
                computes();
                long between = threads.getCurrentThreadCpuTime();
                used[0] += between - begin;
                while (used[1] < used[0]) {
                    begin = threads.getCurrentThreadCpuTime();
                    writes(file);
                    used[1] += threads.getCurrentThreadCpuTime() - begin;
                }
            }
        }
        double all = used[0] + used[1];
        System.out.println("share computes " + used[0] / all);
        System.out.println("share writes " + used[1] / all);
        System.out.println("sink " + sink);
    }
}

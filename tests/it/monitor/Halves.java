import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;
import java.util.zip.Deflater;

/**
 * Two methods, for half of the time each: one computes in Java code, the other in a native
 * method (`deflates`) or by calling the system (`writes`). The program measures itself what
 * CPU time they take, and says so at its end: SECONDS of CPU time, and the other
 * method. Rounds are of random lengths, so that no sampler's period goes with theirs.
 */
public final class Halves {
    private static final byte[] TEXT = new byte[60_000];
    private static final byte[] PACKED = new byte[70_000];
    private static final Deflater DEFLATER = new Deflater();
    private static long sink = 1;

    private Halves() {
    }

    private static void computes(int steps) {
        long x = sink;
        for (int i = 0; i < steps; i++) {
            // no compiler folds it with the next ones
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        sink = x;
    }

    private static void deflates() {
        DEFLATER.reset();
        DEFLATER.setInput(TEXT);
        DEFLATER.finish();
        sink += DEFLATER.deflate(PACKED);
    }

    private static void writes(RandomAccessFile file) throws IOException {
        file.seek(0);
        for (int i = 0; i < 100; i++) {
            file.write(TEXT, 0, 8192);
        }
    }

    public static void main(String[] arguments) throws IOException {
        boolean deflates = arguments[1].equals("deflates");
        Random random = new Random(1);
        for (int i = 0; i < TEXT.length; i++) {
            TEXT[i] = (byte) random.nextInt(20);
        }
        File place = File.createTempFile("halves", null);
        place.deleteOnExit();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long[] used = new long[2];
        double nanos = Double.parseDouble(arguments[0]) * 1e9;
        try (RandomAccessFile file = new RandomAccessFile(place, "rw")) {
            while (used[0] + used[1] < nanos) {
                long begin = threads.getCurrentThreadCpuTime();
                computes(100_000 + random.nextInt(4_000_000));
                used[0] += threads.getCurrentThreadCpuTime() - begin;
                while (used[1] < used[0]) {
                    begin = threads.getCurrentThreadCpuTime();
                    if (deflates) {
                        deflates();
                    } else {
                        writes(file);
                    }
                    used[1] += threads.getCurrentThreadCpuTime() - begin;
                }
            }
        }
        double all = used[0] + used[1];
        System.out.println("share computes " + used[0] / all);
        System.out.println("share " + arguments[1] + " " + used[1] / all);
        System.out.println("sink " + sink);
    }
}

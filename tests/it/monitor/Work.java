import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * A program whose methods are known: three parts in one, one part in another, a recursion.
 * It measures itself what CPU time the one takes, and the other and the recursion,
 * which is little else. It ends after SECONDS of CPU time.
 */
public final class Work {
    static volatile long sink;

    static long heavy() {
        long sum = 0;
        for (int i = 0; i < 3_000_000; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }

    static long light() {
        long sum = 0;
        for (int i = 0; i < 1_000_000; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }

    static long deep(int n) {
        if (n == 0) {
            throw new IllegalStateException("bottom");
        }
        return light() + deep(n - 1);
    }

    static void catches() {
        try {
            deep(3);
        } catch (IllegalStateException bottom) {
            sink++;
        }
    }

    static void sleeps() throws InterruptedException {
        Thread.sleep(5);
    }

    static void talks(Socket to, Socket from, byte[] bytes) throws Exception {
        OutputStream out = to.getOutputStream();
        out.write(bytes, 0, bytes.length);
        InputStream in = from.getInputStream();
        int seen = 0;
        while (seen < bytes.length) {
            seen += in.read(bytes, 0, bytes.length - seen);
        }
    }

    public static void main(String[] arguments) throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long inHeavy = 0;
        long inLight = 0;
        long end = Long.parseLong(arguments[0]) * 1_000_000_000L;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket to = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
                Socket from = server.accept()) {
            long rounds = 0;
            while (threads.getCurrentThreadCpuTime() < end) {
                long begin = threads.getCurrentThreadCpuTime();
                sink += heavy();
                long between = threads.getCurrentThreadCpuTime();
                sink += light();
                catches();
                inHeavy += between - begin;
                inLight += threads.getCurrentThreadCpuTime() - between;
                sleeps();
                talks(to, from, new byte[1000]);
                rounds++;
            }
            System.out.println("rounds " + rounds);
            System.out.println("light/heavy " + (double) inLight / inHeavy);
        }
    }
}

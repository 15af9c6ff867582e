import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A server of the platform's, asked 200 times a second by the program itself, beside a thread
 * that computes by many short calls. It measures what CPU time `answers` (with all that
 * it calls) and `tiny` take, and says so at its end. It ends after SECONDS.
 */
public final class Serves {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final AtomicLong ANSWERED = new AtomicLong();
    private static volatile boolean over;
    private static volatile long sink = 1;
    private static long calls;
    private static long computed;

    private Serves() {
    }

    /** 0.2 us or so. */
    private static long tiny(long x) {
        for (int i = 0; i < 60; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static void computes() {
        long x = sink;
        while (!over) {
            long begin = THREADS.getCurrentThreadCpuTime();
            for (int i = 0; i < 20_000; i++) {
                x = tiny(x | 1);
            }
            calls += 20_000;
            computed += THREADS.getCurrentThreadCpuTime() - begin;
            sink = x;
        }
    }

    private static void answers(HttpExchange exchange) throws IOException {
        long begin = THREADS.getCurrentThreadCpuTime();
        byte[] text = page();
        ANSWERED.addAndGet(THREADS.getCurrentThreadCpuTime() - begin);
        exchange.sendResponseHeaders(200, text.length);
        exchange.getResponseBody().write(text);
        exchange.close();
    }

    /** Some 0.3 ms. */
    private static byte[] page() {
        long x = sink;
        for (int i = 0; i < 100_000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return Long.toHexString(x).getBytes(StandardCharsets.US_ASCII);
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = Double.parseDouble(arguments[0]);
        // JDK 17's server waits 40 ms for each answer's second packet otherwise
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService pool = Executors.newFixedThreadPool(2);
        server.setExecutor(pool);
        server.createContext("/", Serves::answers);
        server.start();
        Thread other = new Thread(Serves::computes, "computes");
        other.start();
        URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        long end = System.nanoTime() + (long) (seconds * 1e9);
        for (long next = System.nanoTime(); System.nanoTime() < end; next += 5_000_000) {
            Thread.sleep(Math.max(0, (next - System.nanoTime()) / 1_000_000));
            try (InputStream in = address.toURL().openStream()) {
                in.readAllBytes();
            }
        }
        over = true;
        other.join();
        server.stop(0);
        pool.shutdown();
        double all = ANSWERED.get() + computed;
        System.out.println("share page " + ANSWERED.get() / all);
        System.out.println("share tiny " + computed / all);
        System.out.println("calls " + calls);
        System.out.println("sink " + sink);
    }
}

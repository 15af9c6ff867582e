import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * Requests at a fixed rate over a few connections that stay open: PORT RATE CONNECTIONS
 * PATH. `go` on standard input begins a window, `rest` ends it; what happened in it is
 * answered as `requests failed mean p50 p99`, in microseconds from the moment at which a
 * request was due, so that a server that falls behind is seen to.
 */
public final class Load {
    private static long[] window = new long[1 << 16];
    private static int count;
    private static int failed;
    private static volatile boolean driving;

    private Load() {
    }

    private static synchronized void book(long nanos) {
        if (count == window.length) {
            window = Arrays.copyOf(window, 2 * count);
        }
        window[count++] = nanos;
    }

    private static synchronized String close() {
        long[] sorted = Arrays.copyOf(window, count);
        Arrays.sort(sorted);
        double mean = Arrays.stream(sorted).average().orElse(0);
        String line = String.format("%d %d %.2f %.2f %.2f", count, failed, mean / 1e3,
                part(sorted, 0.5), part(sorted, 0.99));
        count = 0;
        failed = 0;
        return line;
    }

    private static double part(long[] sorted, double part) {
        return sorted.length == 0 ? 0 : sorted[(int) (part * (sorted.length - 1))] / 1e3;
    }

    private static void drive(int port, long periodNanos, long offset, String path) {
        byte[] request = ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        byte[] buffer = new byte[1 << 16];
        long due = 0;
        while (true) {
            try (Socket socket = new Socket("127.0.0.1", port)) {
                socket.setTcpNoDelay(true);
                while (true) {
                    if (!driving) {
                        LockSupport.parkNanos(5_000_000);
                        due = System.nanoTime() + offset;
                        continue;
                    }
                    for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                        LockSupport.parkNanos(left);
                    }
                    socket.getOutputStream().write(request);
                    answer(socket.getInputStream(), buffer);
                    book(System.nanoTime() - due);
                    due += periodNanos;
                }
            } catch (IOException problem) {
                synchronized (Load.class) {
                    failed++;
                }
                due = System.nanoTime() + 100_000_000;
            }
        }
    }

    /** Reads one answer with a Content-Length. */
    private static void answer(InputStream in, byte[] buffer) throws IOException {
        int have = 0;
        int end = -1;
        while (end < 0 || have < end) {
            int more = in.read(buffer, have, buffer.length - have);
            if (more <= 0) {
                throw new IOException("cut off");
            }
            have += more;
            if (end < 0) {
                String head = new String(buffer, 0, have, StandardCharsets.ISO_8859_1);
                int body = head.indexOf("\r\n\r\n") + 4;
                if (body > 3) {
                    if (!head.startsWith("HTTP/1.1 200")) {
                        throw new IOException(head);
                    }
                    int at = head.toLowerCase().indexOf("content-length:") + 15;
                    end = body + Integer.parseInt(head.substring(at, head.indexOf('\r', at)).trim());
                }
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(arguments[0]);
        double rate = Double.parseDouble(arguments[1]);
        int connections = Integer.parseInt(arguments[2]);
        long period = (long) (1e9 * connections / rate);
        for (int i = 0; i < connections; i++) {
            long offset = period * i / connections;
            Thread thread = new Thread(() -> drive(port, period, offset, arguments[3]));
            thread.setDaemon(true);
            thread.start();
        }
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            driving = line.equals("go");
            if (!driving) {
                LockSupport.parkNanos(20_000_000); // requests under way
                System.out.println(close());
            }
        }
    }
}

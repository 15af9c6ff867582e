package wattline.silicon;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * The connection to the board's clock: a line there, a line back.
 *
 * One connection for the whole application; threads take turns. When the board is
 * gone the process ends, with a message and exit code 70.
 */
final class Clock {
    private static final byte[] NOW = {'n', 'o', 'w', '\n'};
    private static final byte[] SLEEP = {'s', 'l', 'e', 'e', 'p', ' '};
    private static final byte[] EXIT = {'e', 'x', 'i', 't', '\n'};

    private final Socket socket = new Socket();
    private final InputStream in;
    private final OutputStream out;
    private final int timeout;
    private final byte[] answer = new byte[32];
    private final byte[] question = new byte[32];

    Clock(int port, int timeout) throws IOException {
        this.timeout = timeout;
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), timeout);
        socket.setSoTimeout(timeout);
        in = socket.getInputStream();
        out = socket.getOutputStream();
    }

    synchronized long now() {
        return ask(NOW, NOW.length);
    }

    synchronized long sleep(long nanos) {
        System.arraycopy(SLEEP, 0, question, 0, SLEEP.length);
        int at = question.length;
        question[--at] = '\n';
        long rest = nanos;
        do {
            question[--at] = (byte) ('0' + rest % 10);
            rest /= 10;
        } while (rest > 0);
        System.arraycopy(question, at, question, SLEEP.length, question.length - at);
        return ask(question, SLEEP.length + question.length - at);
    }

    synchronized void exit() {
        try {
            out.write(EXIT);
            socket.close();
        } catch (IOException e) {
            // the board is gone, and so are we
        }
    }

    private long ask(byte[] text, int length) {
        try {
            out.write(text, 0, length);
            return number(line());
        } catch (IOException e) {
            stop("no answer within " + timeout + " ms, or the connection is closed: " + e);
            return 0;
        }
    }

    private int line() throws IOException {
        int filled = 0;
        while (filled < answer.length) {
            int count = in.read(answer, filled, answer.length - filled);
            if (count < 0) {
                throw new IOException("end of stream");
            }
            filled += count;
            if (answer[filled - 1] == '\n') {
                return filled - 1;
            }
        }
        throw new IOException("a line too long");
    }

    private long number(int length) throws IOException {
        long value = 0;
        for (int i = 0; i < length; i++) {
            if (answer[i] < '0' || answer[i] > '9') {
                throw new IOException("not a number");
            }
            value = value * 10 + (answer[i] - '0');
        }
        return value;
    }

    /** Ends the process: without its board it has no time. */
    static void stop(String why) {
        System.err.println("wattline: the virtual board is gone (" + why + ")");
        Runtime.getRuntime().halt(70);
    }
}

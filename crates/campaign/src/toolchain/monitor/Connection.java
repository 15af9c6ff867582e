package wattline.monitor.service;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The channel to an admitted reader. A line is bounded in bytes and, from its first byte on, in
 * time, and so is an answer: a reader that stalls is as good as gone.
 */
final class Connection extends OutputStream {
    /** Longer than the numbers of all methods that can carry a probe. */
    private static final int LINE_BYTES = 1 << 20;
    private static final long LINE_NANOS = 10_000_000_000L;
    private static final long ANSWER_NANOS = 60_000_000_000L;

    private final SocketChannel channel;
    /** One for each direction: the last answer is written while commands are waited for. */
    private final Selector readable;
    private final Selector writable;
    private final ByteBuffer in = ByteBuffer.allocate(8192);
    private long answerUntil;

    Connection(SocketChannel channel) throws IOException {
        this.channel = channel;
        channel.configureBlocking(false);
        readable = Selector.open();
        writable = Selector.open();
        channel.register(readable, SelectionKey.OP_READ);
        channel.register(writable, SelectionKey.OP_WRITE);
        in.limit(0);
        beginAnswer();
    }

    /** The next line without its end; none at the end of the stream. */
    String readLine() throws IOException {
        byte[] line = new byte[64];
        int length = 0;
        long until = 0;
        while (true) {
            if (!in.hasRemaining() && !fill(until)) {
                return null;
            }
            until = until == 0 ? System.nanoTime() + LINE_NANOS : until;
            byte one = in.get();
            if (one == '\n') {
                return new String(line, 0, length, StandardCharsets.UTF_8);
            }
            if (length == LINE_BYTES) {
                throw new IOException("the reader sent a line of more than " + LINE_BYTES + " bytes");
            }
            if (length == line.length) {
                line = Arrays.copyOf(line, Math.min(2 * length, LINE_BYTES));
            }
            line[length++] = one;
        }
    }

    /** Waits for bytes, for the first ones of a line (`until` is 0) as long as it takes. */
    private boolean fill(long until) throws IOException {
        in.clear();
        int read = channel.read(in);
        while (read == 0) {
            await(readable, until);
            read = channel.read(in);
        }
        in.flip();
        return read > 0;
    }

    /** From here on an answer is written, which has a deadline. */
    void beginAnswer() {
        answerUntil = System.nanoTime() + ANSWER_NANOS;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        ByteBuffer out = ByteBuffer.wrap(bytes, from, length);
        while (out.hasRemaining()) {
            if (channel.write(out) == 0) {
                await(writable, answerUntil);
            }
        }
    }

    private static void await(Selector selector, long until) throws IOException {
        long millis = until == 0 ? 0 : (until - System.nanoTime()) / 1_000_000;
        if (until != 0 && millis <= 0) {
            throw new IOException("the reader takes too long");
        }
        selector.select(millis);
        selector.selectedKeys().clear();
        if (Thread.interrupted()) {
            throw new IOException("interrupted");
        }
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            readable.close();
            writable.close();
        }
    }
}

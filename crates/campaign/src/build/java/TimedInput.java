package org.wattline.runner;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UnsupportedEncodingException;

/**
 * The standard input of an application that is started without one: lines of the form "@SECONDS
 * COMMAND", of which the command can be read at that time since the begin marker was printed.
 */
final class TimedInput extends InputStream {
    private final byte[][] lines;
    private final long[] dueNanos;
    private volatile long beganNanos = System.nanoTime();
    /** The line that is read, and how much of it was. */
    private int line;
    private int at;

    private TimedInput(String steps) throws UnsupportedEncodingException {
        String[] texts = steps.split(";");
        lines = new byte[texts.length][];
        dueNanos = new long[texts.length];
        for (int i = 0; i < texts.length; i++) {
            int space = texts[i].indexOf(' ');
            dueNanos[i] = (long) (Double.parseDouble(texts[i].substring(1, space)) * 1e9);
            lines[i] = (texts[i].substring(space + 1) + "\n").getBytes("UTF-8");
        }
    }

    /** Takes the place of System.in, and watches System.out for the mark; all at once without one. */
    static void install(String steps, final String mark) throws UnsupportedEncodingException {
        if (mark == null) {
            System.setIn(new ByteArrayInputStream((steps.replace(';', '\n') + "\n").getBytes("UTF-8")));
            return;
        }
        final TimedInput input = new TimedInput(steps);
        System.setIn(input);
        WatchedOutput.watch(new WatchedOutput.Watcher() {
            @Override
            public void printed(String line) {
                if (line.equals(mark)) {
                    input.beganNanos = System.nanoTime();
                }
            }
        });
    }

    /** How many bytes are due and were not read. */
    @Override
    public synchronized int available() {
        if (line == lines.length) {
            return 0;
        }
        long now = System.nanoTime() - beganNanos;
        int bytes = -at;
        for (int i = line; i < lines.length && dueNanos[i] <= now; i++) {
            bytes += lines[i].length;
        }
        return Math.max(0, bytes);
    }

    /** The next byte, when it is due; -1 after the last. */
    @Override
    public synchronized int read() throws IOException {
        if (line == lines.length) {
            return -1;
        }
        await();
        byte[] bytes = lines[line];
        int next = bytes[at++] & 255;
        if (at == bytes.length) {
            line++;
            at = 0;
        }
        return next;
    }

    /** What is due, but for the first byte, which is waited for. */
    @Override
    public synchronized int read(byte[] bytes, int from, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        int first = read();
        if (first < 0) {
            return -1;
        }
        bytes[from] = (byte) first;
        int count = 1;
        for (int due = available(); count < length && due > 0; due--) {
            bytes[from + count++] = (byte) read();
        }
        return count;
    }

    private void await() throws IOException {
        try {
            for (long rest = rest(); rest > 0; rest = rest()) {
                Thread.sleep(rest / 1000000, (int) (rest % 1000000));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted");
        }
    }

    private long rest() {
        return dueNanos[line] - (System.nanoTime() - beganNanos);
    }
}

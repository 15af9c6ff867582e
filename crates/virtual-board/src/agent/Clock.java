package wattline.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.PriorityQueue;

/**
 * The connection to the board's clock: a line there, a line back.
 *
 * One connection for the whole application; its threads take turns. A daemon thread
 * does not move the clock: it sees the time that the others were told, and sleeps until
 * they are there. Where all of them wait for something else, the clock goes on to when the
 * first daemon wakes. One that rests instead is waited for by the thread that is told the
 * time of its waking, so that it works at a moment of the board's, not of the host's. When
 * the board is gone the process ends, with a message and exit code 70.
 */
final class Clock {
    private static final byte[] NOW = {'n', 'o', 'w', '\n'};
    private static final byte[] SLEEP = {'s', 'l', 'e', 'e', 'p', ' '};
    private static final byte[] DOZE = {'d', 'o', 'z', 'e', ' '};
    private static final byte[] EXIT = {'e', 'x', 'i', 't', '\n'};

    /** Milliseconds of the host after which a waiting thread looks again at most. */
    private static final long PATIENCE = 200;

    /** The same before the first look of a sleeping daemon whether anyone else runs. */
    private static final long FIRST_LOOK = 20;

    /** How often its patience a thread waits for one that rested and has work. */
    private static final int WORK_MOST = 50;

    private final Socket socket = new Socket();
    private final InputStream in;
    private final OutputStream out;
    private final int timeout;
    private final byte[] answer = new byte[32];
    private final byte[] question = new byte[32];
    private final Object ticks = new Object();
    private volatile long last;
    /** Whether a thread is being told the time. */
    private volatile boolean isAsked;
    private volatile boolean isOver;
    /** When sleeping daemons are to wake; guarded by ticks. */
    private final PriorityQueue<Long> alarms = new PriorityQueue<>();
    /** When the one that rests is to be woken; guarded by ticks. */
    private long due = Long.MAX_VALUE;
    /** Whether it was woken and has not come back to rest; guarded by ticks. */
    private boolean atWork;

    /** The word, where there is one, shows the board that this is its agent, and not a stranger. */
    Clock(int port, int timeout, String word) throws IOException {
        this.timeout = timeout;
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), timeout);
        socket.setSoTimeout(timeout);
        in = socket.getInputStream();
        out = socket.getOutputStream();
        if (word != null) {
            out.write((word + "\n").getBytes(StandardCharsets.US_ASCII));
        }
    }

    long now() {
        return Thread.currentThread().isDaemon() ? last : askNow();
    }

    void sleep(long nanos) throws InterruptedException {
        if (Thread.currentThread().isDaemon()) {
            awaitTime(last + nanos);
        } else {
            ask(SLEEP, nanos);
        }
    }

    /** A sleep that the board may end before its time, when its window is touched. */
    void doze(long nanos) {
        ask(DOZE, nanos);
    }

    /** The sleep of the one daemon that others wait for. */
    void rest(long nanos) throws InterruptedException {
        long until;
        synchronized (ticks) {
            until = last + nanos;
            due = until;
            atWork = false;
            ticks.notifyAll();
        }
        awaitTime(until);
    }

    private void awaitTime(long until) throws InterruptedException {
        synchronized (ticks) {
            alarms.add(until);
        }
        try {
            long patience = FIRST_LOOK;
            while (last < until) {
                long seen = last;
                synchronized (ticks) {
                    if (last == seen) {
                        ticks.wait(patience);
                    }
                }
                patience = last == seen ? Math.min(2 * patience, PATIENCE) : FIRST_LOOK;
                // One that began to ask meanwhile sleeps, too, until it is answered.
                if (isStill(seen) && OtherThreads.areAsleep() && isStill(seen)) {
                    ask(SLEEP, Math.max(0, firstAlarm() - seen));
                }
            }
        } finally {
            synchronized (ticks) {
                alarms.remove(until);
            }
        }
    }

    /** Whether the time is what it was and nobody is being told another one. */
    private boolean isStill(long seen) {
        return last == seen && !isAsked;
    }

    private long firstAlarm() {
        synchronized (ticks) {
            return alarms.element();
        }
    }

    private synchronized long askNow() {
        return ask(NOW, NOW.length);
    }

    private synchronized void ask(byte[] word, long nanos) {
        System.arraycopy(word, 0, question, 0, word.length);
        int at = question.length;
        question[--at] = '\n';
        long rest = nanos;
        do {
            question[--at] = (byte) ('0' + rest % 10);
            rest /= 10;
        } while (rest > 0);
        System.arraycopy(question, at, question, word.length, question.length - at);
        ask(question, word.length + question.length - at);
    }

    /**
     * The process ends. Threads that still run must not find the connection closed and end the
     * process in another way: for them the clock stands from now on.
     */
    void exit() {
        isOver = true;
        synchronized (this) {
            try {
                out.write(EXIT);
                socket.close();
            } catch (IOException e) {
                // the board is gone, and so are we
            }
        }
    }

    boolean isOver() {
        return isOver;
    }

    /** The time at which the process ended; who wants to sleep waits a little, and not busily. */
    private long afterEnd(byte[] text) {
        if (text != NOW) {
            try {
                wait(PATIENCE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return last;
    }

    /** Callers hold this clock's monitor. */
    private long ask(byte[] text, int length) {
        if (isOver) {
            return afterEnd(text);
        }
        isAsked = true;
        try {
            out.write(text, 0, length);
            long time = number(line());
            synchronized (ticks) {
                last = time;
                if (due <= time) {
                    due = Long.MAX_VALUE;
                    atWork = true;
                }
                ticks.notifyAll();
                if (!Thread.currentThread().isDaemon()) {
                    awaitWork();
                }
            }
            return time;
        } catch (IOException e) {
            stop("no answer within " + timeout + " ms, or the connection is closed: " + e);
            return 0;
        } finally {
            isAsked = false;
        }
    }

    /** Waits until the one that rested has done its work; with ticks held. */
    private void awaitWork() {
        try {
            for (int i = 0; i < WORK_MOST && atWork; i++) {
                ticks.wait(PATIENCE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // One that does not come back is not waited for again.
        atWork = false;
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

package wattline.demo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * One session of a demo application: program arguments, the marks around the measured part, frames
 * at a fixed rate, and input.
 *
 * <p>Input comes on standard input, a line an event: {@code tap X Y} takes effect in the next
 * frame; {@code @SECONDS tap X Y} at that time of the session, for runs without a clock
 * ({@code pace=none}), which read all of their input before they begin.
 */
final class Session {
    static final int FRAMES_PER_SECOND = 20;
    private static final long FRAME_NANOS = 1_000_000_000L / FRAMES_PER_SECOND;

    /** A tap on the screen. */
    static final class Tap {
        final int frame;
        final float x;
        final float y;

        Tap(int frame, float x, float y) {
            this.frame = frame;
            this.x = x;
            this.y = y;
        }
    }

    private final int frames;
    private final boolean paced;
    private final Queue<Tap> taps = new ArrayDeque<>();
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private int frame;
    private long nextFrameNanos;

    private Session(int frames, boolean paced) {
        this.frames = frames;
        this.paced = paced;
    }

    /** Understands {@code frames=N} and {@code pace=none}; other arguments are not its own. */
    static Session open(String[] args) throws IOException {
        int frames = 2000;
        boolean paced = true;
        for (String arg : args) {
            if (arg.startsWith("frames=")) {
                frames = Integer.parseInt(arg.substring("frames=".length()));
            } else if (arg.equals("pace=none")) {
                paced = false;
            }
        }
        Session session = new Session(frames, paced);
        if (!paced) {
            session.readAll();
        }
        return session;
    }

    void begin() {
        System.out.println("wattline: begin");
        nextFrameNanos = System.nanoTime() + FRAME_NANOS;
    }

    /**
     * Waits for the next frame; false after the last one. Frames begin at fixed times, whatever
     * the ones before took, so that input meets the same frame with probes and without.
     */
    boolean nextFrame() throws IOException, InterruptedException {
        if (frame == frames) {
            return false;
        }
        frame++;
        if (paced) {
            long wait = nextFrameNanos - System.nanoTime();
            if (wait > 0) {
                Thread.sleep(wait / 1_000_000, (int) (wait % 1_000_000));
            }
            nextFrameNanos += FRAME_NANOS;
            readAvailable();
        }
        return true;
    }

    /** The next tap that is due, or null. */
    Tap nextTap() {
        Tap tap = taps.peek();
        return tap != null && tap.frame <= frame ? taps.remove() : null;
    }

    /** Ends the measured part; the result shows that two runs did the same work. */
    void end(String result) {
        System.out.println("wattline: end");
        System.out.println("result: " + result);
    }

    private void readAll() throws IOException {
        for (int b = System.in.read(); b >= 0; b = System.in.read()) {
            take(b);
        }
    }

    private void readAvailable() throws IOException {
        InputStream in = System.in;
        for (int n = in.available(); n > 0; n--) {
            take(in.read());
        }
    }

    private void take(int b) {
        if (b != '\n') {
            line.write(b);
            return;
        }
        String[] words = line.toString().trim().split(" +");
        line.reset();
        int at = 0;
        int due = frame;
        if (words[0].startsWith("@")) {
            due = Math.round(Float.parseFloat(words[0].substring(1)) * FRAMES_PER_SECOND);
            at = 1;
        }
        if (words.length == at + 3 && words[at].equals("tap")) {
            taps.add(new Tap(due, Float.parseFloat(words[at + 1]), Float.parseFloat(words[at + 2])));
        }
    }
}

package android.os;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import wattline.board.Board;

/** The messages of a looper, by the time at which they are due. */
public final class MessageQueue {
    /** How long a thread that is kept awake sleeps at most: as a display refreshes. */
    private static final long FRAME_NANOS = 16_666_667;
    /** Words of {@link #take} beside a time to sleep. */
    private static final long READY = -1;
    private static final long QUIT = -2;

    private final List<Message> messages = new ArrayList<>();
    private final boolean quits;
    private boolean awake;
    private boolean quitting;
    /** Looks whether somebody touched the window; of the main looper's queue. */
    private Runnable touches = () -> { };
    /** What {@link #take} took; the looper's thread alone reads it. */
    private Message taken;

    MessageQueue(boolean quits) {
        this.quits = quits;
    }

    /** Hidden: time passes for this queue's thread also when it has nothing to do. */
    public void keepAwake() {
        awake = true;
    }

    /** Hidden: asks before each message. */
    public void listen(Runnable touches) {
        this.touches = touches;
    }

    synchronized boolean enqueue(Message message, long when) {
        if (message.inUse) {
            throw new IllegalStateException(message + " This message is already in use.");
        }
        if (quitting) {
            message.forget();
            return false;
        }
        message.inUse = true;
        message.when = when;
        int at = messages.size();
        while (at > 0 && messages.get(at - 1).when > when) {
            at--;
        }
        messages.add(at, message);
        notifyAll();
        return true;
    }

    synchronized void remove(Predicate<Message> unwanted) {
        messages.removeIf(message -> {
            boolean goes = unwanted.test(message);
            if (goes) {
                message.forget();
            }
            return goes;
        });
    }

    synchronized boolean has(Predicate<Message> wanted) {
        return messages.stream().anyMatch(wanted);
    }

    /** No more messages; of those that there are, the ones that are due come if it is done safely. */
    synchronized void quit(boolean safely) {
        if (!quits) {
            throw new IllegalStateException("Main thread not allowed to quit.");
        }
        long now = SystemClock.uptimeMillis();
        remove(message -> !safely || message.when > now);
        quitting = true;
        notifyAll();
    }

    /** The next message when it is due; none if the queue was quitted. */
    Message next() throws InterruptedException {
        while (true) {
            touches.run();
            long now = Board.nanoTime();
            long wait = take(now);
            if (wait == READY) {
                return taken;
            }
            if (wait == QUIT) {
                return null;
            }
            if (wait > 0) {
                Board.doze(wait);
            }
        }
    }

    /**
     * Nanoseconds to sleep, or 0 after a rest, or one of the two words. Only one thread, the
     * looper's, comes here. A message that another thread sends while this one sleeps on the
     * board's clock is seen when it wakes.
     */
    private synchronized long take(long now) throws InterruptedException {
        if (quitting && messages.isEmpty()) {
            return QUIT;
        }
        if (messages.isEmpty()) {
            if (awake) {
                return FRAME_NANOS;
            }
            wait();
            return 0;
        }
        long wait = messages.get(0).when * 1_000_000 - now;
        if (wait <= 0) {
            taken = messages.remove(0);
            return READY;
        }
        return awake ? Math.min(wait, FRAME_NANOS) : wait;
    }
}

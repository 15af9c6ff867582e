package android.os;

import wattline.board.Board;

/** The board's clock since its boot; the board never sleeps. */
public final class SystemClock {
    private SystemClock() {
    }

    public static long uptimeMillis() {
        return Board.nanoTime() / 1_000_000;
    }

    public static long elapsedRealtime() {
        return Board.nanoTime() / 1_000_000;
    }

    public static long elapsedRealtimeNanos() {
        return Board.nanoTime();
    }

    /** Sleeps, whoever interrupts. */
    public static void sleep(long millis) {
        try {
            Board.sleep(millis * 1_000_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package org.wattline.junit;

/** One measured repeat of a test: calls of its body, and their energy once the meter has told it. */
final class Repeat {
    final EnergyAccount account = new EnergyAccount();
    private long calls;
    private long durationNanos;
    private boolean isComplete;

    synchronized void complete(long bodyCalls, long nanos) {
        calls = bodyCalls;
        durationNanos = nanos;
        isComplete = true;
    }

    /** Whether the body ended without an exception. */
    synchronized boolean isComplete() {
        return isComplete;
    }

    synchronized long calls() {
        return calls;
    }

    synchronized double seconds() {
        return durationNanos / 1e9;
    }

    /** Joules of one call. */
    double joulesPerCall() {
        return account.joules().doubleValue() / calls();
    }
}

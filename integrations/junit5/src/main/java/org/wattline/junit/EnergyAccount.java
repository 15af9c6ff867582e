package org.wattline.junit;

import java.math.BigDecimal;

/** Energy and CPU time of one owner: a repeat of a test, or a remainder of the process. */
final class EnergyAccount {
    private BigDecimal joules = BigDecimal.ZERO;
    private double cpuNanos;
    private int cycles;

    synchronized void add(BigDecimal moreJoules, double moreCpuNanos) {
        joules = joules.add(moreJoules);
        cpuNanos += moreCpuNanos;
        cycles++;
    }

    synchronized BigDecimal joules() {
        return joules;
    }

    synchronized double cpuSeconds() {
        return cpuNanos / 1e9;
    }

    /** Number of cycles of the meter of which it has a part. */
    synchronized int cycles() {
        return cycles;
    }
}

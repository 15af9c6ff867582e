package org.wattline.junit;

import java.math.BigDecimal;

/** A cycle of the recording: its span by {@link System#nanoTime}, and the energy of this process. */
final class MeterCycle {
    final long beginNanos;
    final long endNanos;
    final BigDecimal joules;

    MeterCycle(long beginNanos, long endNanos, BigDecimal joules) {
        this.beginNanos = beginNanos;
        this.endNanos = endNanos;
        this.joules = joules;
    }
}

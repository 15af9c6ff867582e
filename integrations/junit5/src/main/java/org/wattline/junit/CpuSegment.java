package org.wattline.junit;

import java.util.Map;

/** CPU time of owners between two moments of {@link System#nanoTime}, in nanoseconds. */
final class CpuSegment {
    final long beginNanos;
    final long endNanos;
    final Map<EnergyAccount, Long> cpuNanos;

    CpuSegment(long beginNanos, long endNanos, Map<EnergyAccount, Long> cpuNanos) {
        this.beginNanos = beginNanos;
        this.endNanos = endNanos;
        this.cpuNanos = cpuNanos;
    }

    /** Part of the segment, 0 to 1, that lies between two moments. */
    double partWithin(long fromNanos, long toNanos) {
        long overlap = Math.min(endNanos, toNanos) - Math.max(beginNanos, fromNanos);
        return overlap <= 0 ? 0 : (double) overlap / (endNanos - beginNanos);
    }
}

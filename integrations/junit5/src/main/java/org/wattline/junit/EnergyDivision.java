package org.wattline.junit;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Divides the energy of a cycle among owners by their CPU time in it; the parts add up exactly. */
final class EnergyDivision {
    /** Femtojoules: the digits of a recording. */
    private static final int DIGITS = 15;

    private EnergyDivision() {
    }

    /** Adds to each owner its part of a cycle; what no CPU time is known for belongs to `rest`. */
    static void divide(MeterCycle cycle, Iterable<CpuSegment> segments, EnergyAccount rest) {
        Map<EnergyAccount, Double> weights = weights(cycle, segments);
        double total = weights.values().stream().mapToDouble(Double::doubleValue).sum();
        if (total <= 0) {
            rest.add(cycle.joules, 0);
            return;
        }
        BigDecimal left = cycle.joules;
        List<Map.Entry<EnergyAccount, Double>> owners = new ArrayList<>(weights.entrySet());
        // The largest part comes last and takes what rounding leaves.
        owners.sort(Map.Entry.comparingByValue());
        for (int i = 0; i < owners.size(); i++) {
            double weight = owners.get(i).getValue();
            boolean isLast = i == owners.size() - 1;
            BigDecimal part = isLast ? left : part(cycle.joules, weight / total);
            left = left.subtract(part);
            owners.get(i).getKey().add(part, weight);
        }
    }

    private static BigDecimal part(BigDecimal joules, double share) {
        return joules.multiply(BigDecimal.valueOf(share)).setScale(DIGITS, RoundingMode.DOWN);
    }

    private static Map<EnergyAccount, Double> weights(MeterCycle cycle, Iterable<CpuSegment> segments) {
        Map<EnergyAccount, Double> weights = new IdentityHashMap<>();
        for (CpuSegment segment : segments) {
            double within = segment.partWithin(cycle.beginNanos, cycle.endNanos);
            if (within > 0) {
                segment.cpuNanos.forEach((owner, nanos) -> {
                    if (nanos > 0) {
                        weights.merge(owner, within * nanos, Double::sum);
                    }
                });
            }
        }
        return weights;
    }
}

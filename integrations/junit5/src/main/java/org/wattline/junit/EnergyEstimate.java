package org.wattline.junit;

import java.util.List;

/** Mean energy of an invocation over repeats, in joules, with the interval of the mean. */
final class EnergyEstimate {
    static final String CONFIDENCE = "95 %";

    final double meanJoules;
    /** Standard deviation between repeats; NaN for one. */
    final double deviationJoules;
    final int repeats;

    EnergyEstimate(double meanJoules, double deviationJoules, int repeats) {
        this.meanJoules = meanJoules;
        this.deviationJoules = deviationJoules;
        this.repeats = repeats;
    }

    static EnergyEstimate of(List<Double> joules) {
        int n = joules.size();
        double mean = joules.stream().mapToDouble(Double::doubleValue).sum() / n;
        double squares = joules.stream().mapToDouble(one -> (one - mean) * (one - mean)).sum();
        return new EnergyEstimate(mean, n < 2 ? Double.NaN : Math.sqrt(squares / (n - 1)), n);
    }

    boolean hasInterval() {
        return repeats >= 2 && !Double.isNaN(deviationJoules);
    }

    double lowJoules() {
        return meanJoules - halfWidth();
    }

    double highJoules() {
        return meanJoules + halfWidth();
    }

    private double halfWidth() {
        return StudentT.quantile975(repeats - 1) * deviationJoules / Math.sqrt(repeats);
    }

    /** Square of the standard error of the mean. */
    double varianceOfMean() {
        return deviationJoules * deviationJoules / repeats;
    }
}

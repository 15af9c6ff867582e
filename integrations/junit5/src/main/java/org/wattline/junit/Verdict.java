package org.wattline.junit;

/** What an interval says of a budget. */
final class Verdict {
    enum Kind { NO_BUDGET, WITHIN, OVER, UNDECIDED }

    static final Verdict NO_BUDGET = new Verdict(Kind.NO_BUDGET, "");

    final Kind kind;
    /** The whole sentence for the reader. */
    final String reason;

    private Verdict(Kind kind, String reason) {
        this.kind = kind;
        this.reason = reason;
    }

    static Verdict undecided(String reason) {
        return new Verdict(Kind.UNDECIDED, "undecided: " + reason);
    }

    /** Whether the energy is below a number of joules. */
    static Verdict ofJoules(EnergyEstimate energy, double budgetJoules) {
        String budget = "the budget of " + Quantity.joules(budgetJoules);
        if (!energy.hasInterval()) {
            return undecided("one run has no interval to compare with " + budget + "; set repeats to 2 or more");
        }
        String interval = Quantity.interval(energy);
        if (energy.lowJoules() > budgetJoules) {
            return new Verdict(Kind.OVER, interval + " lies above " + budget);
        }
        if (energy.highJoules() <= budgetJoules) {
            return new Verdict(Kind.WITHIN, interval + " lies within " + budget);
        }
        return undecided(interval + " contains " + budget);
    }

    /** Whether the energy is at most `most` times that of an earlier run, by Welch's interval. */
    static Verdict ofRatio(EnergyEstimate energy, EnergyEstimate earlier, double most) {
        String budget = Quantity.number(most) + " times the " + Quantity.joules(earlier.meanJoules) + " of the baseline";
        if (!energy.hasInterval() || !earlier.hasInterval()) {
            return undecided("both runs need an interval to compare " + Quantity.joules(energy.meanJoules) + " with "
                    + budget + "; set repeats to 2 or more");
        }
        double excess = energy.meanJoules - most * earlier.meanJoules;
        double own = energy.varianceOfMean();
        double other = most * most * earlier.varianceOfMean();
        double freedom = (own + other) * (own + other)
                / (own * own / (energy.repeats - 1) + other * other / (earlier.repeats - 1));
        double half = own + other == 0 ? 0 : StudentT.quantile975(freedom) * Math.sqrt(own + other);
        String difference = Quantity.interval(energy) + "; the difference to " + budget + " is "
                + Quantity.range(excess - half, excess + half) + " (" + EnergyEstimate.CONFIDENCE + " interval)";
        if (excess - half > 0) {
            return new Verdict(Kind.OVER, difference);
        }
        return excess + half <= 0 ? new Verdict(Kind.WITHIN, difference) : undecided(difference + ", which contains 0");
    }

    /** The verdict of two budgets: a breach of one is a breach, and both have to be kept. */
    Verdict and(Verdict other) {
        if (kind == Kind.NO_BUDGET || kind == Kind.OVER) {
            return kind == Kind.OVER ? this : other;
        }
        if (other.kind == Kind.NO_BUDGET || other.kind == Kind.WITHIN) {
            return this;
        }
        return other;
    }

    /** The word in tables. */
    String word() {
        return kind == Kind.NO_BUDGET ? "" : kind.name().toLowerCase(java.util.Locale.ROOT);
    }
}

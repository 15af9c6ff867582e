package org.wattline.junit;

import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What a run has measured. */
final class Results {
    final List<MeasuredTest> tests;
    final Map<Remainder, EnergyAccount> remainders = new EnumMap<>(Remainder.class);
    final MonitorHeader header;
    final double intervalSeconds;
    /** Energy of this JVM over all cycles of the recording. */
    final BigDecimal processJoules;
    /** Why nothing is measured; empty if it is. */
    final String unmeasured;

    Results(List<MeasuredTest> tests, CpuTimeline timeline, MonitorHeader header, double intervalSeconds,
            BigDecimal processJoules, String unmeasured) {
        this.tests = tests;
        this.header = header;
        this.intervalSeconds = intervalSeconds;
        this.processJoules = processJoules == null ? BigDecimal.ZERO : processJoules;
        this.unmeasured = unmeasured;
        for (Remainder remainder : Remainder.values()) {
            remainders.put(remainder, timeline == null ? new EnergyAccount() : timeline.remainder(remainder));
        }
    }

    boolean isMeasured() {
        return unmeasured.isEmpty();
    }

    String basis() {
        return isMeasured() ? header.basis() : "unmeasured";
    }

    /** The basis with the name of the meter. */
    String basisAndMeter() {
        return isMeasured() ? header.basis() + " by " + header.meter() : "unmeasured";
    }

    /** The figure of a test in a sentence. */
    String describe(MeasuredTest test) {
        EnergyEstimate energy = test.estimate();
        if (energy == null) {
            return "no figure: " + test.problem();
        }
        String figure = energy.hasInterval() ? Quantity.interval(energy)
                : Quantity.joules(energy.meanJoules) + " (no interval)";
        String note = test.note(intervalSeconds);
        return figure + ", repeats: " + energy.repeats + ", " + basisAndMeter() + (note.isEmpty() ? "" : "; " + note)
                + (test.verdict().reason.isEmpty() ? "" : "; budget: " + test.verdict().reason);
    }

    /** Joules of all repeats of a test. */
    BigDecimal joulesOf(MeasuredTest test) {
        return test.repeats().stream().map(repeat -> repeat.account.joules())
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    BigDecimal joulesOfTests() {
        return tests.stream().map(this::joulesOf).reduce(BigDecimal.ZERO, BigDecimal::add);
    }
}

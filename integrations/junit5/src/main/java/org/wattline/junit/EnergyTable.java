package org.wattline.junit;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The summary at the end of a run: tests, then what else the process spent. */
final class EnergyTable {
    private static final String LINE = "%12s  %-24s %7s  %-26s  %-9s  %s%n";

    private EnergyTable() {
    }

    static String text(Results results) {
        StringBuilder text = new StringBuilder(String.format("%nwattline: energy of an invocation of each test%n"));
        text.append(String.format(LINE, "energy", EnergyEstimate.CONFIDENCE + " interval", "repeats", "basis", "budget",
                "test"));
        List<MeasuredTest> tests = new ArrayList<>(results.tests);
        tests.sort(Comparator.comparing(EnergyTable::sortKey).reversed());
        for (MeasuredTest test : tests) {
            text.append(row(test, results));
        }
        if (!results.isMeasured()) {
            return text.append(String.format("not measured: %s%n", VisibleText.of(results.unmeasured))).toString();
        }
        text.append(String.format("intervals: Student's t over repeats%s%n", results.header.basis().equals("measured")
                ? "" : "; the error of the model is not in them"));
        return text.append(parts(results)).append(meter(results)).toString();
    }

    private static double sortKey(MeasuredTest test) {
        EnergyEstimate energy = test.estimate();
        return energy == null ? -1 : energy.meanJoules;
    }

    private static String row(MeasuredTest test, Results results) {
        EnergyEstimate energy = test.estimate();
        String interval = energy == null || !energy.hasInterval()
                ? "none" : Quantity.range(energy.lowJoules(), energy.highJoules());
        // The reason for a whole run is said once, below.
        String note = results.isMeasured() ? test.note(results.intervalSeconds) : "not measured";
        String name = VisibleText.of(test.name() + (note.isEmpty() ? "" : "  (" + note + ")"));
        return String.format(LINE, energy == null ? "-" : Quantity.joules(energy.meanJoules), interval,
                energy == null ? "0" : String.valueOf(energy.repeats), results.basisAndMeter(),
                test.verdict().word(), name)
                + (test.verdict().reason.isEmpty() || !results.isMeasured() ? "" : String.format("%14s%s%n", "", test.verdict().reason));
    }

    /** Energy of the process, divided; these are sums of one run, so they have no interval. */
    private static String parts(Results results) {
        StringBuilder text = new StringBuilder(String.format(
                "energy of this JVM, %s, no interval (one run): %s%n", results.basisAndMeter(),
                Quantity.joules(results.processJoules.doubleValue())));
        text.append(part(results.joulesOfTests(), "repeats of the tests above", results));
        for (Remainder remainder : Remainder.values()) {
            BigDecimal joules = results.remainders.get(remainder).joules();
            if (joules.signum() != 0) {
                text.append(part(joules, remainder.label, results));
            }
        }
        return text.toString();
    }

    private static String part(BigDecimal joules, String label, Results results) {
        double all = results.processJoules.doubleValue();
        String share = all == 0 ? "" : Quantity.percent(joules.doubleValue() / all);
        return String.format("%12s  %7s  %s%n", Quantity.joules(joules.doubleValue()), share, label);
    }

    private static String meter(Results results) {
        StringBuilder text = new StringBuilder();
        for (String description : results.header.descriptions) {
            text.append(String.format("meter: %s%n", VisibleText.of(description)));
        }
        for (String note : results.header.notes) {
            text.append(String.format("note: %s%n", VisibleText.of(note)));
        }
        return text.toString();
    }
}

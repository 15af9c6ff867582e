package org.wattline.junit;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * `energy-tests.csv`: a row for each test, for each remainder of the process, and for the process.
 * The column `total_j` of the others adds up to that of the process, to the last digit.
 */
final class EnergyCsv {
    static final String PROCESS = "(process)";
    static final List<String> COLUMNS = List.of("test", "energy_j", "low_j", "high_j", "deviation_j", "repeats",
            "invocations", "cpu_s", "total_j", "basis", "meter", "budget_j", "budget_relative", "verdict", "note");

    private EnergyCsv() {
    }

    static String text(Results results) {
        StringBuilder text = new StringBuilder(CsvText.row(COLUMNS));
        for (MeasuredTest test : results.tests) {
            text.append(CsvText.row(test(test, results)));
        }
        for (Remainder remainder : Remainder.values()) {
            EnergyAccount account = results.remainders.get(remainder);
            text.append(CsvText.row(sum(remainder.label, cpu(account.cpuSeconds()), account.joules(), results)));
        }
        return text.append(CsvText.row(sum(PROCESS, "", results.processJoules, results))).toString();
    }

    private static List<String> test(MeasuredTest test, Results results) {
        EnergyEstimate energy = test.estimate();
        boolean hasInterval = energy != null && energy.hasInterval();
        List<String> cells = new ArrayList<>();
        cells.add(CsvText.safe(VisibleText.of(test.name())));
        cells.add(energy == null ? "" : number(energy.meanJoules));
        cells.add(hasInterval ? number(energy.lowJoules()) : "");
        cells.add(hasInterval ? number(energy.highJoules()) : "");
        cells.add(hasInterval ? number(energy.deviationJoules) : "");
        cells.add(energy == null ? "0" : String.valueOf(energy.repeats));
        cells.add(String.valueOf(test.calls()));
        cells.add(cpu(test.cpuSeconds()));
        cells.add(results.isMeasured() ? results.joulesOf(test).toPlainString() : "");
        cells.add(results.basis());
        cells.add(results.header.meter());
        cells.add(budget(test.energy.budgetJoules()));
        cells.add(budget(test.energy.budgetRelative()));
        cells.add(test.verdict().word());
        cells.add(VisibleText.of(test.note(results.intervalSeconds)));
        return cells;
    }

    private static List<String> sum(String name, String cpuSeconds, BigDecimal joules, Results results) {
        String total = results.isMeasured() ? joules.toPlainString() : "";
        return List.of(name, "", "", "", "", "", "", cpuSeconds, total, results.basis(), results.header.meter(),
                "", "", "", "");
    }

    private static String budget(double value) {
        return value > 0 ? number(value) : "";
    }

    private static String cpu(double seconds) {
        return String.format(Locale.ROOT, "%.6f", seconds);
    }

    /** All digits, so that a later run can compare. */
    private static String number(double value) {
        return new BigDecimal(Double.toString(value)).toPlainString();
    }
}

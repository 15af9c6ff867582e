package org.wattline.junit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Figures of an earlier run: its `energy-tests.csv`. */
final class Baseline {
    static final Baseline NONE = new Baseline(Map.of());

    private final Map<String, Map<String, String>> tests;

    private Baseline(Map<String, Map<String, String>> tests) {
        this.tests = tests;
    }

    static Baseline read(Path file) throws IOException {
        List<List<String>> rows = CsvText.parse(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
        if (rows.isEmpty() || !rows.get(0).equals(EnergyCsv.COLUMNS)) {
            throw new IllegalArgumentException("its columns are not those of energy-tests.csv");
        }
        Map<String, Map<String, String>> tests = new HashMap<>();
        for (List<String> row : rows.subList(1, rows.size())) {
            if (row.size() != EnergyCsv.COLUMNS.size()) {
                throw new IllegalArgumentException("a row has " + row.size() + " cells, and not "
                        + EnergyCsv.COLUMNS.size() + ": " + String.join(",", row));
            }
            Map<String, String> cells = new HashMap<>();
            for (int i = 0; i < row.size(); i++) {
                cells.put(EnergyCsv.COLUMNS.get(i), row.get(i));
            }
            tests.put(cells.get("test"), cells);
        }
        return new Baseline(tests);
    }

    /** Whether a test needs at most `most` times its earlier energy. */
    Verdict verdict(String test, EnergyEstimate energy, double most, MonitorHeader meter) {
        if (this == NONE) {
            return Verdict.undecided("there is no baseline; set wattline.baseline to the energy-tests.csv of an earlier run");
        }
        Map<String, String> row = tests.get(CsvText.safe(test));
        if (row == null || row.get("energy_j").isEmpty()) {
            return Verdict.undecided("the baseline has no energy of this test");
        }
        String earlier = row.get("basis") + " by " + row.get("meter");
        String now = meter.basis() + " by " + meter.meter();
        if (!earlier.equals(now)) {
            return Verdict.undecided("the baseline is " + earlier + ", and this run is " + now);
        }
        double deviation = row.get("deviation_j").isEmpty() ? Double.NaN : Double.parseDouble(row.get("deviation_j"));
        return Verdict.ofRatio(energy, new EnergyEstimate(Double.parseDouble(row.get("energy_j")), deviation,
                Integer.parseInt(row.get("repeats"))), most);
    }
}

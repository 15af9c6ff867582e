package org.wattline.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerdictTest {
    private static final MonitorHeader METER =
            MonitorHeader.parse("name = \"rapl\"\nbasis = \"measured\"\n");
    private static final EnergyEstimate SPREAD = EnergyEstimate.of(List.of(0.9, 1.0, 1.1));

    @Test
    void onlyAnIntervalAboveTheBudgetIsABreach() {
        assertEquals(Verdict.Kind.OVER, Verdict.ofJoules(SPREAD, 0.7).kind);
        assertEquals(Verdict.Kind.UNDECIDED, Verdict.ofJoules(SPREAD, 0.8).kind);
        assertEquals(Verdict.Kind.UNDECIDED, Verdict.ofJoules(SPREAD, 1.2).kind);
        assertEquals(Verdict.Kind.WITHIN, Verdict.ofJoules(SPREAD, 1.3).kind);
        Verdict one = Verdict.ofJoules(EnergyEstimate.of(List.of(5.0)), 1);
        assertEquals(Verdict.Kind.UNDECIDED, one.kind);
        assertTrue(one.reason.contains("one run has no interval"), one.reason);
    }

    @Test
    void aRatioHasTheErrorsOfBothRuns() {
        EnergyEstimate earlier = EnergyEstimate.of(List.of(0.49, 0.5, 0.51));
        assertEquals(Verdict.Kind.OVER, Verdict.ofRatio(SPREAD, earlier, 1.1).kind);
        assertEquals(Verdict.Kind.UNDECIDED, Verdict.ofRatio(SPREAD, earlier, 1.9).kind);
        assertEquals(Verdict.Kind.WITHIN, Verdict.ofRatio(SPREAD, earlier, 3).kind);
        assertEquals(Verdict.Kind.UNDECIDED, Verdict.ofRatio(SPREAD, EnergyEstimate.of(List.of(0.5)), 1.1).kind);
    }

    @Test
    void bothBudgetsHaveToBeKept() {
        Verdict over = Verdict.ofJoules(SPREAD, 0.7);
        Verdict within = Verdict.ofJoules(SPREAD, 2);
        Verdict undecided = Verdict.undecided("no baseline");
        assertEquals(over, within.and(over));
        assertEquals(over, undecided.and(over));
        assertEquals(undecided, within.and(undecided));
        assertEquals(within, Verdict.NO_BUDGET.and(within));
        assertEquals(within, within.and(Verdict.NO_BUDGET));
    }

    @Test
    void aBaselineIsComparedOnTheSameMeter(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("energy-tests.csv");
        Files.write(file, (CsvText.row(EnergyCsv.COLUMNS)
                + "\"demo.T.sizes [1] a,b\",0.5,0.47,0.53,0.01,3,3,1,1.5,measured,rapl,,,,\n").getBytes("UTF-8"));
        Baseline baseline = Baseline.read(file);
        String test = "demo.T.sizes [1] a,b";
        assertEquals(Verdict.Kind.OVER, baseline.verdict(test, SPREAD, 1.1, METER).kind);
        MonitorHeader model = MonitorHeader.parse("name = \"design-power\"\nbasis = \"model\"\n");
        String reason = baseline.verdict(test, SPREAD, 1.1, model).reason;
        assertEquals("undecided: the baseline is measured by rapl, and this run is estimated by design-power", reason);
        assertTrue(baseline.verdict("demo.T.other", SPREAD, 1.1, METER).reason.contains("no energy of this test"));
        assertTrue(Baseline.NONE.verdict(test, SPREAD, 1.1, METER).reason.contains("set wattline.baseline"));
    }
}

package org.wattline.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.w3c.dom.Document;

/** The extension with a monitor that makes its figures up: 1 J in each cycle. */
class EnergyExtensionTest {
    @TempDir
    Path folder;
    private Path out;
    private String program;

    /** Results of the tests of a run by display name, and what they published. */
    private static final class Observed implements TestExecutionListener {
        final Map<String, TestExecutionResult> results = new HashMap<>();
        final Map<String, Map<String, String>> entries = new HashMap<>();

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            results.put(test.getDisplayName(), result);
        }

        @Override
        public void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
            entries.put(test.getDisplayName(), entry.getKeyValuePairs());
        }

        TestExecutionResult.Status status(String test) {
            return results.get(test).getStatus();
        }

        String message(String test) {
            return results.get(test).getThrowable().map(Throwable::getMessage).orElse("");
        }
    }

    @BeforeEach
    void standIn() throws IOException {
        out = folder.resolve("out");
        Path script = folder.resolve("wattline");
        try (InputStream text = EnergyExtensionTest.class.getResourceAsStream("/monitor.sh")) {
            Files.copy(text, script);
        }
        assertTrue(script.toFile().setExecutable(true));
        program = script.toString();
    }

    private Observed run(Class<?> tests, String... more) {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(tests))
                .configurationParameter("wattline.program", program)
                .configurationParameter("wattline.interval", "0.05")
                .configurationParameter("wattline.results", out.toString());
        for (int i = 0; i < more.length; i += 2) {
            request.configurationParameter(more[i], more[i + 1]);
        }
        Observed observed = new Observed();
        Launcher launcher = LauncherFactory.create();
        launcher.execute(request.build(), observed);
        return observed;
    }

    /** Rows of the results by test, each with its cells by column. */
    private Map<String, Map<String, String>> rows() throws IOException {
        String text = new String(Files.readAllBytes(out.resolve("energy-tests.csv")), "UTF-8");
        Map<String, Map<String, String>> rows = new LinkedHashMap<>();
        List<List<String>> cells = CsvText.parse(text);
        for (List<String> row : cells.subList(1, cells.size())) {
            Map<String, String> named = new HashMap<>();
            for (int i = 0; i < row.size(); i++) {
                named.put(cells.get(0).get(i), row.get(i));
            }
            rows.put(row.get(0).replaceFirst(".*\\$", ""), named);
        }
        return rows;
    }

    private static void assertAddsUp(Map<String, Map<String, String>> rows) {
        BigDecimal parts = rows.values().stream().filter(row -> !row.get("test").equals(EnergyCsv.PROCESS))
                .map(row -> new BigDecimal(row.get("total_j"))).reduce(BigDecimal.ZERO, BigDecimal::add);
        BigDecimal process = new BigDecimal(rows.get(EnergyCsv.PROCESS).get("total_j"));
        assertEquals(0, process.compareTo(parts), process + " J, and its parts are " + parts + " J");
        assertTrue(process.stripTrailingZeros().scale() <= 0, "1 J in each cycle: " + process);
    }

    @Test
    void everyKindOfTestHasItsRow() throws IOException {
        Examples.calls = 0;
        Examples.setUps = 0;
        Observed observed = run(Examples.Kinds.class);
        Map<String, Map<String, String>> rows = rows();
        assertAddsUp(rows);
        assertEquals("3", rows.get("Kinds.repeated").get("repeats"));
        assertEquals("3", rows.get("Kinds.repeated").get("invocations"));
        assertEquals(5, Examples.calls, "two warm-ups and three repeats");
        assertEquals(8, Examples.setUps, "once for each invocation by JUnit");
        assertEquals("3", rows.get("Kinds.repetitions").get("repeats"));
        assertEquals("1", rows.get("Kinds.sizes [2] 2").get("repeats"));
        assertTrue(rows.get("Kinds.sizes [1] 1").get("low_j").isEmpty(), "one run has no interval");
        assertTrue(rows.get("Kinds.sizes [1] 1").get("note").contains("one run has no interval"));
        assertTrue(rows.containsKey("Kinds.dynamic parts 2"), rows.keySet().toString());
        assertFalse(rows.containsKey("Kinds.unmarked"));
        Map<String, String> entry = observed.entries.get("repeated()");
        assertEquals("estimated by made-up", entry.get("energy_basis"));
        assertTrue(Double.parseDouble(entry.get("energy_low_j")) <= Double.parseDouble(entry.get("energy_high_j")));
        assertTrue(Files.exists(out.resolve("recording/ended")), "the monitor ended as it was told");
    }

    @Test
    void testsAtTheSameTimeShareByTheirThreads() throws IOException {
        run(Examples.AtOnce.class, "junit.jupiter.execution.parallel.enabled", "true",
                "junit.jupiter.execution.parallel.mode.default", "concurrent",
                "junit.jupiter.execution.parallel.config.strategy", "fixed",
                "junit.jupiter.execution.parallel.config.fixed.parallelism", "2");
        Map<String, Map<String, String>> rows = rows();
        assertAddsUp(rows);
        double small = Double.parseDouble(rows.get("AtOnce.small").get("cpu_s"));
        double large = Double.parseDouble(rows.get("AtOnce.large").get("cpu_s"));
        assertTrue(small > 0 && large > 3 * small, "eight times the work: " + small + " s, " + large + " s");
    }

    @Test
    void aBreachFailsTheTestAndTheReport() throws Exception {
        Observed observed = run(Examples.Budgets.class);
        assertEquals(TestExecutionResult.Status.FAILED, observed.status("over()"));
        assertTrue(observed.message("over()").contains("lies above the budget of"), observed.message("over()"));
        assertEquals(TestExecutionResult.Status.SUCCESSFUL, observed.status("within()"));
        assertEquals(TestExecutionResult.Status.SUCCESSFUL, observed.status("undecided()"));
        assertEquals("as it should", observed.message("failing()"));
        Map<String, Map<String, String>> rows = rows();
        assertAddsUp(rows);
        assertEquals("over", rows.get("Budgets.over").get("verdict"));
        assertEquals("within", rows.get("Budgets.within").get("verdict"));
        assertEquals("undecided", rows.get("Budgets.undecided").get("verdict"));
        assertEquals("the test failed", rows.get("Budgets.failing").get("note"));
        Document xml = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(out.resolve("TEST-energy.xml").toFile());
        assertEquals("4", xml.getDocumentElement().getAttribute("tests"));
        assertEquals("1", xml.getDocumentElement().getAttribute("failures"));
        assertEquals("1", xml.getDocumentElement().getAttribute("skipped"));
        assertEquals(1, xml.getElementsByTagName("failure").getLength());
    }

    @Test
    void withoutAProgramTheUserChooses() throws IOException {
        program = folder.resolve("nothing").toString();
        Observed unmeasured = run(Examples.Budgets.class);
        assertEquals(TestExecutionResult.Status.SUCCESSFUL, unmeasured.status("over()"));
        assertTrue(rows().get("Budgets.over").get("note").contains("which is no program"));
        assertEquals("", rows().get("Budgets.over").get("energy_j"));
        Observed aborted = run(Examples.Budgets.class, "wattline.missing", "abort");
        assertEquals(TestExecutionResult.Status.ABORTED, aborted.status("over()"));
        Observed failed = run(Examples.Budgets.class, "wattline.missing", "fail");
        assertEquals(TestExecutionResult.Status.FAILED, failed.status("within()"));
        assertTrue(failed.message("within()").contains("names " + program), failed.message("within()"));
    }

    @Test
    void wrongSettingsAreNamed() {
        Observed missing = run(Examples.Budgets.class, "wattline.missing", "never");
        assertTrue(missing.message("Examples$Budgets").contains("unmeasured, abort or fail"), missing.results.toString());
        Observed interval = run(Examples.Wrong.class, "wattline.interval", "soon");
        assertTrue(interval.message("never()").contains("wattline.interval=soon"), interval.message("never()"));
        Observed repeats = run(Examples.Wrong.class);
        assertTrue(repeats.message("never()").contains("repeats has to be 1 or more"), repeats.message("never()"));
    }

    @Test
    void aMonitorThatEndsIsSaid() throws IOException {
        Files.write(folder.resolve("wattline"), "#!/bin/sh\necho 'error: no meter'\nexit 5\n".getBytes("UTF-8"));
        Observed observed = run(Examples.Budgets.class, "wattline.missing", "fail");
        assertTrue(observed.message("within()").contains("`wattline monitor` ended: error: no meter"),
                observed.message("within()"));
    }

    @Test
    void anEarlierRunIsTheBaseline() throws IOException {
        run(Examples.Budgets.class);
        Path earlier = folder.resolve("earlier.csv");
        Files.copy(out.resolve("energy-tests.csv"), earlier);
        Baseline baseline = Baseline.read(earlier);
        MonitorHeader meter = MonitorHeader.parse("name = \"made-up\"\nbasis = \"model\"\n");
        Verdict verdict = baseline.verdict(Examples.Budgets.class.getName() + ".over",
                EnergyEstimate.of(List.of(1e6, 1e6 + 1)), 1.1, meter);
        assertEquals(Verdict.Kind.OVER, verdict.kind, verdict.reason);
    }

    @Test
    void anotherRunAtTheSameTimeGetsAFolderOfItsOwn() throws IOException {
        try (OutputFolder first = OutputFolder.take(out); OutputFolder second = OutputFolder.take(out)) {
            assertEquals(out, first.path);
            assertEquals(out.resolve("jvm-2"), second.path);
        }
        try (OutputFolder again = OutputFolder.take(out)) {
            assertEquals(out, again.path, "it is free again");
        }
    }
}

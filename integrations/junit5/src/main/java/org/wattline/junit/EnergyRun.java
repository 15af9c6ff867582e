package org.wattline.junit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.xml.stream.XMLStreamException;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One run of tests in this JVM: starts the meter before the first test, shows all at the end. JUnit
 * 5 closes it as the one of its two interfaces, JUnit 6 as the other.
 */
final class EnergyRun implements ExtensionContext.Store.CloseableResource, AutoCloseable {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(EnergyRun.class);

    final Settings settings;
    private final OutputFolder folder;
    private final Map<String, MeasuredTest> tests = new LinkedHashMap<>();
    private final Baseline baseline;
    /** Null if nothing is measured. */
    private final EnergyMeter meter;
    private final String whyNotMeasured;

    private EnergyRun(Settings settings) {
        this.settings = settings;
        baseline = settings.readBaseline();
        folder = OutputFolder.take(settings.results);
        EnergyMeter started = null;
        String why = "";
        try {
            started = start();
        } catch (MonitorProcess.NotRunning problem) {
            why = problem.getMessage();
            System.err.println("wattline: tests are not measured: " + VisibleText.of(why));
        }
        meter = started;
        whyNotMeasured = why;
    }

    /** The run of this JVM; the first call starts it. */
    static EnergyRun of(ExtensionContext context) {
        return context.getRoot().getStore(NAMESPACE)
                .getOrComputeIfAbsent(EnergyRun.class, key -> new EnergyRun(Settings.of(context)), EnergyRun.class);
    }

    private EnergyMeter start() throws MonitorProcess.NotRunning {
        try {
            CpuTimeline timeline = new CpuTimeline();
            SystemUptime clock = SystemUptime.read();
            MonitorProcess monitor = MonitorProcess.start(settings, folder.path);
            MonitorRecording recording = new MonitorRecording(folder.path.resolve("recording"),
                    ProcessHandle.current().pid(), clock);
            return new EnergyMeter(timeline, monitor, recording, settings.intervalSeconds);
        } catch (IOException problem) {
            throw new MonitorProcess.NotRunning("this system is no Linux with /proc (" + problem.getMessage()
                    + "), which `wattline monitor` needs");
        }
    }

    /** Null if nothing is measured; {@link #whyNotMeasured} has the reason. */
    EnergyMeter meter() {
        return meter;
    }

    String whyNotMeasured() {
        return whyNotMeasured;
    }

    /** The row of a test; invocations with the same key are repeats of one test. */
    MeasuredTest test(String key, String className, String testName, Energy energy) {
        synchronized (tests) {
            return tests.computeIfAbsent(key, unknown -> new MeasuredTest(className, testName, energy));
        }
    }

    Verdict decide(MeasuredTest test) {
        return test.decide(baseline, header());
    }

    Results results() {
        synchronized (tests) {
            return new Results(new ArrayList<>(tests.values()), meter == null ? null : meter.timeline, header(),
                    settings.intervalSeconds, meter == null ? null : meter.processJoules(), whyNotMeasured);
        }
    }

    private MonitorHeader header() {
        return meter == null ? new MonitorHeader() : meter.header();
    }

    @Override
    public void close() throws IOException {
        if (meter != null) {
            meter.close();
        }
        // Some were not decided when they ended: a repetition failed, or the meter did.
        synchronized (tests) {
            tests.values().forEach(this::decide);
        }
        Results results = results();
        System.out.print(EnergyTable.text(results));
        try {
            folder.write("energy-tests.csv", EnergyCsv.text(results));
            folder.write("TEST-energy.xml", EnergyXml.text(results));
            System.out.println("written: " + folder.path + "/energy-tests.csv, TEST-energy.xml");
        } catch (IOException | XMLStreamException problem) {
            System.err.println("wattline: cannot write results into " + folder.path + ": " + problem
                    + "; set wattline.results to a folder that you can write");
        } finally {
            folder.close();
        }
    }
}

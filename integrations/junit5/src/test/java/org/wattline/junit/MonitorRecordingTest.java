package org.wattline.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MonitorRecordingTest {
    private static final String CYCLES = "cycle,start_s,end_s,part,formula,basis,energy_j,unattributed_j\n";
    private static final String PROCESSES = "cycle,pid,start_ticks,name,cpu_s,share_active,share_capacity,cpu_j,network_j\n";

    @TempDir
    Path folder;
    private MonitorRecording recording;

    @BeforeEach
    void open() throws IOException {
        recording = new MonitorRecording(folder, 42, SystemUptime.read());
    }

    private void write(String file, String text) throws IOException {
        Files.write(folder.resolve(file), text.getBytes("UTF-8"));
    }

    private static String header(int cycles) {
        return "recording = 1\ncycles = " + cycles + "\nis_virtual = false\n"
                + "notes = [\"15 W is assumed\", 'a \"quoted\" one']\n[[formulas]]\npart = \"cpu\"\n"
                + "name = \"design-power\"\nbasis = \"model\"\nfrom = \"0.7 TDP, \\\"TDP\\\" 15 W\"\n";
    }

    @Test
    void theEnergyOfAProcessIsReadCycleByCycle() throws IOException {
        write("monitor.toml", header(1));
        write("cycles.csv", CYCLES + "1,10.0,10.2,cpu,design-power,model,2.0,0.5\n2,10.2,10");
        write("processes.csv", PROCESSES + "1,7,1,\"a,42,b\",0.1,0.5,0.5,9.0,\n1,42,1,\"java, x\",0.1,0.5,0.5,1.25,0.25\n");
        List<MeterCycle> first = recording.newCycles();
        assertEquals(1, first.size());
        assertEquals(new BigDecimal("1.50"), first.get(0).joules);
        assertEquals(200_000_000, first.get(0).endNanos - first.get(0).beginNanos, 10);
        assertTrue(recording.newCycles().isEmpty());
        write("cycles.csv", CYCLES + "1,10.0,10.2,cpu,design-power,model,2.0,0.5\n2,10.2,10.4,cpu,design-power,model,2.0,0.5\n");
        write("monitor.toml", header(2));
        List<MeterCycle> second = recording.newCycles();
        assertEquals(0, second.get(0).joules.signum(), "no row of the process is no energy");
    }

    @Test
    void theHeaderNamesMeterAndBasis() throws IOException {
        write("monitor.toml", header(0));
        recording.newCycles();
        MonitorHeader header = recording.header();
        assertEquals("estimated", header.basis());
        assertEquals("design-power", header.meter());
        assertEquals(List.of("0.7 TDP, \"TDP\" 15 W"), header.descriptions);
        assertEquals(List.of("15 W is assumed", "a \"quoted\" one"), header.notes);
        assertEquals("measured", MonitorHeader.parse("basis = \"measured\"").basis());
        assertEquals("simulated", MonitorHeader.parse("basis = \"measured\"\nis_virtual = true").basis());
        assertEquals("estimated", MonitorHeader.parse("basis = \"measured\"\nbasis = \"model\"").basis());
    }

    @Test
    void otherColumnsAreRefused() throws IOException {
        write("monitor.toml", header(1));
        write("cycles.csv", CYCLES + "1,10.0,10.2,cpu,design-power,model,2.0,0.5\n");
        write("processes.csv", "cycle,pid,joules\n1,42,3\n");
        String message = assertThrows(IOException.class, recording::newCycles).getMessage();
        assertTrue(message.startsWith("processes.csv has columns"), message);
    }
}

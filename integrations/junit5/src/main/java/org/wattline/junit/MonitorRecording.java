package org.wattline.junit;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A recording of `wattline monitor`, read while it is written: the energy of this process. */
final class MonitorRecording {
    static final String HEADER = "monitor.toml";
    private static final String CYCLE_COLUMNS = "cycle,start_s,end_s,";
    private static final String PROCESS_COLUMNS = "cycle,pid,";
    private static final String ENERGY_COLUMNS = ",cpu_j,network_j";

    private final Path folder;
    private final String pid;
    private final SystemUptime clock;
    private final CsvTail cycleRows;
    private final CsvTail processRows;
    private final Map<Integer, double[]> spans = new HashMap<>();
    private final Map<Integer, BigDecimal> joules = new HashMap<>();
    private int seen;
    private MonitorHeader header = new MonitorHeader();

    MonitorRecording(Path folder, long pid, SystemUptime clock) {
        this.folder = folder;
        this.pid = String.valueOf(pid);
        this.clock = clock;
        cycleRows = new CsvTail(folder.resolve("cycles.csv"));
        processRows = new CsvTail(folder.resolve("processes.csv"));
    }

    /** The header as it was last read. */
    MonitorHeader header() {
        return header;
    }

    /** The cycles whose rows are all there, since the last call. */
    List<MeterCycle> newCycles() throws IOException {
        Path file = folder.resolve(HEADER);
        header = MonitorHeader.parse(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
        List<MeterCycle> found = new ArrayList<>();
        if (header.cycles == seen) {
            return found;
        }
        for (String line : cycleRows.newLines()) {
            readCycle(line);
        }
        for (String line : processRows.newLines()) {
            readProcess(line);
        }
        while (seen < header.cycles) {
            seen++;
            double[] span = spans.remove(seen);
            if (span == null) {
                throw new IOException("cycles.csv has no row of cycle " + seen);
            }
            BigDecimal energy = joules.remove(seen);
            found.add(new MeterCycle(clock.nanoTime(span[0]), clock.nanoTime(span[1]),
                    energy == null ? BigDecimal.ZERO : energy));
        }
        return found;
    }

    private void readCycle(String line) throws IOException {
        if (line.startsWith("cycle")) {
            check(line.startsWith(CYCLE_COLUMNS), "cycles.csv", line);
            return;
        }
        String[] cells = line.split(",");
        spans.put(Integer.valueOf(cells[0]), new double[] {Double.parseDouble(cells[1]), Double.parseDouble(cells[2])});
    }

    /** Names of processes may contain anything, so cells count from both ends of the line. */
    private void readProcess(String line) throws IOException {
        if (line.startsWith("cycle")) {
            check(line.startsWith(PROCESS_COLUMNS) && line.endsWith(ENERGY_COLUMNS), "processes.csv", line);
            return;
        }
        String[] cells = line.split(",", -1);
        if (cells.length < 4 || !cells[1].equals(pid)) {
            return;
        }
        BigDecimal energy = number(cells[cells.length - 2]).add(number(cells[cells.length - 1]));
        joules.merge(Integer.valueOf(cells[0]), energy, BigDecimal::add);
    }

    private static BigDecimal number(String cell) {
        return cell.isEmpty() ? BigDecimal.ZERO : new BigDecimal(cell);
    }

    private static void check(boolean isKnown, String file, String line) throws IOException {
        if (!isKnown) {
            throw new IOException(file + " has columns that this extension does not know (" + line
                    + "): take the wattline-junit5 of the program's release");
        }
    }
}

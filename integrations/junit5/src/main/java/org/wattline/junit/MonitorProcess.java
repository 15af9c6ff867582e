package org.wattline.junit;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** `wattline monitor` beside this JVM. It ends with the JVM, however the JVM ends. */
final class MonitorProcess {
    /** The monitor does not run; the message says why, and what to do. */
    static final class NotRunning extends Exception {
        private static final long serialVersionUID = 1;

        NotRunning(String message) {
            super(message);
        }
    }

    /**
     * Ends the monitor, which then writes its accounts, when standard input closes: the system
     * closes it when this JVM ends. Gives the exit code of the monitor when it ends earlier.
     */
    private static final String SCRIPT = "exec 3<&0; \"$@\" 3<&- & monitor=$!; "
            + "{ read -r end <&3; kill \"$monitor\"; } 2>/dev/null & reader=$!; "
            + "wait \"$monitor\"; code=$?; kill \"$reader\" 2>/dev/null; exit \"$code\"";
    private static final long START_SECONDS = 20;
    /** The agent may have to be built, for which Maven may have to fetch. */
    private static final long START_WITH_METHODS_SECONDS = 120;
    private static final long END_SECONDS = 30;

    private final Process process;
    private final Path log;

    private MonitorProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Starts the monitor and waits until its first cycle has begun. */
    static MonitorProcess start(Settings settings, Path folder) throws NotRunning {
        String program = find(settings.program, System.getenv());
        Path recording = folder.resolve("recording");
        Path log = folder.resolve("monitor.log");
        try {
            // So that no header of an earlier run is taken for this one.
            Files.deleteIfExists(recording.resolve(MonitorRecording.HEADER));
            ProcessBuilder builder = new ProcessBuilder(command(settings, program, recording));
            builder.environment().putIfAbsent("JAVA_HOME", System.getProperty("java.home"));
            builder.redirectErrorStream(true).redirectOutput(log.toFile());
            MonitorProcess monitor = new MonitorProcess(builder.start(), log);
            monitor.awaitBegin(recording, settings);
            return monitor;
        } catch (IOException problem) {
            throw new NotRunning("cannot start " + program + ": " + problem.getMessage());
        }
    }

    private static List<String> command(Settings settings, String program, Path recording) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", SCRIPT, "sh", program, "monitor", "--quiet",
                "--headless", "--force", "--interval", String.valueOf(settings.intervalSeconds),
                "--out", recording.toString()));
        if (settings.tdp != null) {
            command.addAll(List.of("--tdp", settings.tdp));
        }
        if (settings.meter != null) {
            command.addAll(List.of("--meter", settings.meter));
        }
        if (settings.methods) {
            command.addAll(List.of("--jvm", String.valueOf(ProcessHandle.current().pid())));
        }
        return command;
    }

    /** The program: as named, by the environment, or on the path. */
    static String find(String named, Map<String, String> environment) throws NotRunning {
        if (named != null) {
            return executable(named, "the parameter wattline.program");
        }
        String byVariable = environment.get("WATTLINE_PROGRAM");
        if (byVariable != null && !byVariable.isEmpty()) {
            return executable(byVariable, "the variable WATTLINE_PROGRAM");
        }
        for (String folder : environment.getOrDefault("PATH", "").split(File.pathSeparator)) {
            Path program = Path.of(folder, "wattline");
            if (Files.isExecutable(program) && !Files.isDirectory(program)) {
                return program.toString();
            }
        }
        throw new NotRunning("no program `wattline` on the PATH: install it, or name it by "
                + "-Dwattline.program=FILE or the variable WATTLINE_PROGRAM");
    }

    private static String executable(String file, String where) throws NotRunning {
        if (!Files.isExecutable(Path.of(file)) || Files.isDirectory(Path.of(file))) {
            throw new NotRunning(where + " names " + file + ", which is no program that you can execute: correct it");
        }
        return Path.of(file).toAbsolutePath().toString();
    }

    private void awaitBegin(Path recording, Settings settings) throws IOException, NotRunning {
        long seconds = settings.methods ? START_WITH_METHODS_SECONDS : START_SECONDS;
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!Files.exists(recording.resolve(MonitorRecording.HEADER))) {
            if (!process.isAlive()) {
                throw new NotRunning("`wattline monitor` ended: " + said());
            }
            if (System.nanoTime() > until) {
                stop();
                throw new NotRunning("`wattline monitor` did not begin within " + seconds + " s; " + log + " has its output");
            }
            sleep();
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** What the monitor wrote, in one line. */
    String said() {
        try {
            String text = new String(Files.readAllBytes(log), StandardCharsets.UTF_8).trim();
            return text.isEmpty() ? "exit code " + process.exitValue() : text.replaceAll("\\s+", " ");
        } catch (IOException | IllegalThreadStateException unknown) {
            return "see " + log;
        }
    }

    /** Ends the last cycle and waits for the accounts of the recording. */
    void stop() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException gone) {
            process.destroy();
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }
}

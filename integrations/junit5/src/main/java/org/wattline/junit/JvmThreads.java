package org.wattline.junit;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * CPU time of the JVM's own threads, which no Java thread is: GC, compiler and services. Linux
 * knows them by their names, of which it keeps 15 characters.
 */
final class JvmThreads {
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final String[] COLLECTORS = {
        "GC ", "G1 ", "VM Thread", "Shenandoah", "ZWorker", "ZDirector", "ZDriver", "ZStat", "ZUncommitter",
        "XWorker", "XDirector", "XDriver", "Concurrent Mark"};
    private static final String[] COMPILERS = {
        "C1 Compiler", "C2 Compiler", "JVMCI", "JIT ", "Sweeper thread", "IProfiler"};
    private static final String[] SERVICES = {
        "VM Periodic", "Service Thread", "Monitor Deflati", "Signal Dispatch", "Signal Reporter"};

    private enum Sighting { NEW, JAVA, COLLECTOR, COMPILER, SERVICE }

    private final Map<String, Sighting> known = new HashMap<>();
    private final Map<String, Long> lastNanos = new HashMap<>();

    /** Nanoseconds since the last call; empty on a system that does not tell them. */
    Map<Remainder, Long> advance() {
        Map<Remainder, Long> spent = new EnumMap<>(Remainder.class);
        String[] tasks = TASKS.toFile().list();
        for (String task : tasks == null ? new String[0] : tasks) {
            Remainder owner = owner(task);
            if (owner != null) {
                long now = ranNanos(task);
                Long before = lastNanos.put(task, now);
                spent.merge(owner, Math.max(0, now - (before == null ? 0 : before)), Long::sum);
            }
        }
        return spent;
    }

    /** A thread has its final name a moment after its start, so the second reading is kept. */
    private Remainder owner(String task) {
        Sighting sighting = known.get(task);
        if (sighting == null) {
            known.put(task, Sighting.NEW);
            sighting = sighting(task);
        } else if (sighting == Sighting.NEW) {
            sighting = sighting(task);
            known.put(task, sighting);
        }
        switch (sighting) {
            case COLLECTOR:
                return Remainder.GARBAGE_COLLECTION;
            case COMPILER:
                return Remainder.COMPILER;
            case SERVICE:
                return Remainder.JVM;
            default:
                return null;
        }
    }

    private static Sighting sighting(String task) {
        String name = text(task, "comm");
        if (beginsWithAny(name, COLLECTORS)) {
            return Sighting.COLLECTOR;
        }
        if (beginsWithAny(name, COMPILERS)) {
            return Sighting.COMPILER;
        }
        return beginsWithAny(name, SERVICES) ? Sighting.SERVICE : Sighting.JAVA;
    }

    private static boolean beginsWithAny(String name, String[] prefixes) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    private static long ranNanos(String task) {
        String text = text(task, "schedstat");
        int space = text.indexOf(' ');
        try {
            return space < 0 ? 0 : Long.parseLong(text.substring(0, space));
        } catch (NumberFormatException unknown) {
            return 0;
        }
    }

    /** Empty for a thread that has ended. */
    private static String text(String task, String file) {
        try {
            return new String(Files.readAllBytes(TASKS.resolve(task + File.separator + file)), StandardCharsets.UTF_8);
        } catch (IOException ended) {
            return "";
        }
    }
}

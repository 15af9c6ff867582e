package org.wattline.runner;

import android.os.Bundle;
import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The probes of an application, if it has some, and what they leave in their folder. */
final class Probes {
    /** The end of the names of files of counts. */
    private static final String COUNTS = ".csv";

    private final String type;
    /** Of a package of the user's own build it is not known here whether it has some. */
    private final boolean isOwn;
    private final File folder;
    private final ClassLoader loader;
    /** Counts up to the begin of what is measured, by file and block. */
    private final Map<String, Map<String, Long>> before =
            new TreeMap<String, Map<String, Long>>();

    Probes(Bundle facts, File folder, ClassLoader loader) {
        type = facts.getString("wattline.probes");
        isOwn = facts.containsKey("wattline.own");
        this.folder = folder;
        this.loader = loader;
    }

    /** What was switched off may have run before that was known. */
    void readSwitches() throws Exception {
        if (isOwn && System.getProperty("wattline.off") != null) {
            String switches = type.substring(0, type.lastIndexOf('.') + 1) + "S";
            Class.forName(switches, true, loader).getMethod("read").invoke(null);
        }
    }

    /** From here on is counted: what the application did before it had a window is left out. */
    void begin() throws Exception {
        for (Map.Entry<String, String> file : end().entrySet()) {
            if (file.getKey().endsWith(COUNTS)) {
                before.put(file.getKey(), counts(file.getValue()));
            }
        }
    }

    /** Has them write what they counted up to now; the texts of their files, by name. */
    Map<String, String> end() throws Exception {
        Map<String, String> texts = new TreeMap<String, String>();
        Class<?> probes = type == null ? null : find();
        if (probes != null) {
            probes.getMethod("end").invoke(null);
            for (File file : listed(folder)) {
                texts.put(file.getName(), since(file.getName(), read(file)));
            }
        }
        return texts;
    }

    /** A file of counts without those of before. */
    private String since(String name, String text) {
        Map<String, Long> earlier = before.get(name);
        if (earlier == null) {
            return text;
        }
        StringBuilder since = new StringBuilder(text.substring(0, text.indexOf('\n') + 1));
        for (Map.Entry<String, Long> block : counts(text).entrySet()) {
            Long less = earlier.get(block.getKey());
            long count = block.getValue() - (less == null ? 0 : less);
            if (count > 0) {
                since.append(block.getKey()).append(',').append(count).append('\n');
            }
        }
        return since.toString();
    }

    /** Executions by block, in the order of the file; its first line names the columns. */
    private static Map<String, Long> counts(String text) {
        Map<String, Long> counts = new LinkedHashMap<String, Long>();
        String[] lines = text.split("\n");
        for (int i = 1; i < lines.length; i++) {
            int comma = lines[i].indexOf(',');
            counts.put(lines[i].substring(0, comma), Long.valueOf(lines[i].substring(comma + 1)));
        }
        return counts;
    }

    private Class<?> find() throws ClassNotFoundException {
        try {
            return Class.forName(type, true, loader);
        } catch (ClassNotFoundException e) {
            if (isOwn) {
                return null;
            }
            throw e;
        }
    }

    static List<File> listed(File folder) {
        List<File> found = new ArrayList<File>();
        File[] files = folder.listFiles();
        if (files != null) {
            Arrays.sort(files);
            for (File file : files) {
                if (file.getName().startsWith("wattline-")) {
                    found.add(file);
                }
            }
        }
        return found;
    }

    private static String read(File file) throws IOException {
        StringBuilder text = new StringBuilder();
        BufferedReader in =
                new BufferedReader(new InputStreamReader(new FileInputStream(file), "UTF-8"));
        try {
            char[] some = new char[8192];
            for (int read = in.read(some); read >= 0; read = in.read(some)) {
                text.append(some, 0, read);
            }
        } finally {
            in.close();
        }
        return text.toString();
    }
}

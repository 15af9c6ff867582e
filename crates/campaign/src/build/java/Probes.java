package org.wattline.runner;

import android.os.Bundle;
import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The probes of an application, if it has some, and what they leave in their folder. */
final class Probes {
    private final String type;
    private final File folder;

    Probes(Bundle facts, File folder) {
        type = facts.getString("wattline.probes");
        this.folder = folder;
    }

    /** Has them write what they counted up to now; the texts of their files, by name. */
    Map<String, String> end() throws Exception {
        Map<String, String> texts = new TreeMap<String, String>();
        if (type != null) {
            Class.forName(type).getMethod("end").invoke(null);
            for (File file : listed(folder)) {
                texts.put(file.getName(), read(file));
            }
        }
        return texts;
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

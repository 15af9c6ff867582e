package org.wattline.runner;

import android.app.Activity;
import android.app.Instrumentation;
import android.content.ComponentName;
import android.content.pm.PackageManager;
import android.os.Bundle;
import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Starts an application's main method and gives back what its probes counted, through the
 * instrumentation: no root, and nothing that rotates out of a log.
 *
 * <p>Which class has the main method, and which one the probes have, stands in the meta-data of
 * the instrumentation. Extras (-e KEY VALUE) are the arguments KEY=VALUE, but for those of the
 * runner: wattline.input, lines between semicolons that the application reads on its standard
 * input, each at its time since the line wattline.begin was printed. Counts come as status
 * bundles of a part each: wattline.file, wattline.part (from 1), wattline.parts, wattline.text.
 */
public final class Runner extends Instrumentation {
    private static final int STATUS_COUNTS = 2;
    /** Characters; a bundle that goes between processes holds a megabyte in all. */
    private static final int PART = 30000;

    private Bundle extras;

    @Override
    public void onCreate(Bundle arguments) {
        super.onCreate(arguments);
        extras = arguments == null ? new Bundle() : arguments;
        start();
    }

    @Override
    public void onStart() {
        super.onStart();
        Bundle result = new Bundle();
        int code = Activity.RESULT_OK;
        try {
            Bundle facts = facts();
            File files = getTargetContext().getFilesDir();
            remove(files);
            System.setProperty("wattline.out", files.getPath());
            if (extras.containsKey("wattline.input")) {
                TimedInput.install(
                        extras.getString("wattline.input"), extras.getString("wattline.begin"));
            }
            result.putString("wattline.end", "whole");
            try {
                call(facts.getString("wattline.main"), "main", arguments());
            } catch (InvocationTargetException e) {
                code = failed(e.getCause(), result);
            }
            if (facts.containsKey("wattline.probes")) {
                call(facts.getString("wattline.probes"), "end");
                send(files);
            }
        } catch (Exception e) {
            code = failed(e, result);
        }
        finish(code, result);
    }

    /** Says why, in the result and in the log; the result's code. */
    private static int failed(Throwable why, Bundle result) {
        why.printStackTrace();
        result.putString("wattline.end", trace(why));
        return Activity.RESULT_CANCELED;
    }

    private Bundle facts() throws PackageManager.NameNotFoundException {
        ComponentName own = new ComponentName(getContext(), Runner.class);
        PackageManager packages = getContext().getPackageManager();
        return packages.getInstrumentationInfo(own, PackageManager.GET_META_DATA).metaData;
    }

    private String[] arguments() {
        List<String> arguments = new ArrayList<String>();
        for (String key : extras.keySet()) {
            if (key.startsWith("wattline.")) {
                continue;
            }
            arguments.add(key + "=" + extras.get(key));
        }
        return arguments.toArray(new String[0]);
    }

    /** Calls a static method that takes texts, or nothing. */
    private void call(String type, String method, String... arguments)
            throws ClassNotFoundException,
                    NoSuchMethodException,
                    IllegalAccessException,
                    InvocationTargetException {
        Class<?> found = Class.forName(type, true, getTargetContext().getClassLoader());
        if (method.equals("main")) {
            // Java starts a main method of any class; reflection asks for a public one.
            Method main = found.getDeclaredMethod(method, String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) arguments);
        } else {
            found.getMethod(method).invoke(null);
        }
    }

    /** Counts of an earlier run. */
    private static void remove(File folder) {
        for (File file : listed(folder)) {
            file.delete();
        }
    }

    private void send(File folder) throws IOException {
        for (File file : listed(folder)) {
            String text = read(file);
            int parts = Math.max(1, (text.length() + PART - 1) / PART);
            for (int part = 0; part < parts; part++) {
                Bundle status = new Bundle();
                status.putString("wattline.file", file.getName());
                status.putString("wattline.part", String.valueOf(part + 1));
                status.putString("wattline.parts", String.valueOf(parts));
                int end = Math.min(text.length(), (part + 1) * PART);
                status.putString("wattline.text", text.substring(part * PART, end));
                sendStatus(STATUS_COUNTS, status);
            }
        }
    }

    private static List<File> listed(File folder) {
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

    private static String trace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }
}

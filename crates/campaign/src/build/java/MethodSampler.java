package org.wattline.runner;

import android.os.Bundle;
import android.os.Debug;
import android.util.Base64;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.Collections;
import java.util.Map;
import java.util.zip.DeflaterOutputStream;

/**
 * Android's sampler of methods, which a process has of itself without root or permission: from
 * Android 5.0 on by a method of Debug, in 4.4 by that of VMDebug which was not public then. Older
 * Androids have neither, so both are looked up when they are wanted.
 */
final class MethodSampler {
    private static final String TRACE = "wattline-samples.trace";

    /** Absent where the session is not sampled. */
    private final String wanted;
    private final File trace;
    private boolean runs;
    /** Why there are no samples, if it is known. */
    private String problem;

    /** The extra wattline.sample has interval and buffer. */
    MethodSampler(Bundle extras, File folder) {
        wanted = extras.getString("wattline.sample");
        trace = new File(folder, TRACE);
        problem = "the application did not print its begin marker by println";
    }

    /** Samples from one line of System.out to another. */
    void watch(final String begin, final String end) {
        if (wanted == null) {
            return;
        }
        WatchedOutput.watch(new WatchedOutput.Watcher() {
            @Override
            public void printed(String line) {
                if (line.equals(begin)) {
                    begin();
                } else if (line.equals(end)) {
                    end();
                }
            }
        });
    }

    synchronized void begin() {
        if (wanted == null || runs) {
            return;
        }
        try {
            start(trace.getPath(), number(1), number(0));
            runs = true;
            problem = null;
        } catch (InvocationTargetException e) {
            problem = String.valueOf(e.getCause());
        } catch (Exception e) {
            problem = "this Android has no sampler of methods: " + e;
        }
    }

    synchronized void end() {
        if (!runs) {
            return;
        }
        runs = false;
        try {
            // What a thread did up to a look is written at the next one that meets it elsewhere.
            Thread.sleep(2 + number(0) / 500);
            Debug.stopMethodTracing();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            problem = "interrupted";
        } catch (RuntimeException e) {
            problem = String.valueOf(e);
        }
    }

    /** The trace, deflated and in letters, by its name; or none, and the result says why. */
    Map<String, String> recorded(Bundle result) throws IOException {
        end();
        if (wanted == null) {
            return Collections.emptyMap();
        }
        if (problem == null && trace.length() == 0) {
            problem = "Android left no trace in " + trace;
        }
        if (problem != null) {
            result.putString("wattline.sampler", problem);
            return Collections.emptyMap();
        }
        String text = Base64.encodeToString(deflated(trace), Base64.NO_WRAP);
        return Collections.singletonMap(TRACE, text);
    }

    private int number(int place) {
        return Integer.parseInt(wanted.split(" ")[place]);
    }

    private static void start(String path, int bufferBytes, int intervalMicros)
            throws Exception {
        try {
            Debug.class
                    .getMethod("startMethodTracingSampling", String.class, int.class, int.class)
                    .invoke(null, path, bufferBytes, intervalMicros);
        } catch (NoSuchMethodException e) {
            Class.forName("dalvik.system.VMDebug")
                    .getMethod(
                            "startMethodTracing",
                            String.class,
                            int.class,
                            int.class,
                            boolean.class,
                            int.class)
                    .invoke(null, path, bufferBytes, 0, true, intervalMicros);
        }
    }

    private static byte[] deflated(File file) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        InputStream in = new FileInputStream(file);
        try {
            DeflaterOutputStream out = new DeflaterOutputStream(bytes);
            byte[] some = new byte[8192];
            for (int read = in.read(some); read >= 0; read = in.read(some)) {
                out.write(some, 0, read);
            }
            out.close();
        } finally {
            in.close();
        }
        return bytes.toByteArray();
    }
}

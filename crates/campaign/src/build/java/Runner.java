package org.wattline.runner;

import android.app.Activity;
import android.app.Application;
import android.app.Instrumentation;
import android.content.ComponentName;
import android.content.Context;
import android.content.pm.PackageManager;
import android.os.Bundle;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Starts an application's main method, or its activity, and gives back what its probes counted,
 * through the instrumentation: no root, and nothing that rotates out of a log.
 *
 * <p>Which class has the main method or is the activity, and which one the probes have, stands in
 * the meta-data of the instrumentation, which is in the application's package or, where that is of
 * the user's own build, in one beside it. Extras (-e KEY VALUE) are the arguments KEY=VALUE of the
 * main method, the extras of the activity's intent, but for those of the runner: wattline.input,
 * lines between semicolons, each at its time since the begin marker (wattline.begin) was printed. The
 * application reads them on its standard input, an activity has them as touches and keys. Without
 * a begin marker the application has all of them at once, with their times. wattline.off and
 * wattline.limit are for the switches and the probes of dry runs. With wattline.sample,
 * "INTERVAL_US BUFFER_BYTES", Android samples the application from the begin marker to the end marker.
 * With wattline.say.begin and wattline.say.end these lines come as status bundles, too (MarkStatus).
 * Counts and samples come as status bundles of a part each: wattline.file, wattline.part (from 1),
 * wattline.parts, wattline.text. Why there are no samples is in the result's wattline.sampler.
 */
public final class Runner extends Instrumentation {
    private static final int STATUS_FILE = 2;
    /** Characters; a bundle that goes between processes holds a megabyte in all. */
    private static final int PART = 30000;

    private Bundle extras;
    /** Of an activity; absent while a main method runs. */
    private volatile Screening screening;

    /** Before anything of the application runs. */
    @Override
    public Application newApplication(ClassLoader loader, String type, Context context)
            throws InstantiationException, IllegalAccessException, ClassNotFoundException {
        File files = context.getFilesDir();
        remove(files);
        System.setProperty("wattline.out", files.getPath());
        return super.newApplication(loader, type, context);
    }

    @Override
    public void onCreate(Bundle arguments) {
        super.onCreate(arguments);
        extras = arguments == null ? new Bundle() : arguments;
        setProperty("wattline.off");
        setProperty("wattline.limit");
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
            result.putString("wattline.end", "whole");
            MethodSampler sampler = new MethodSampler(extras, files);
            MarkStatus.install(this, extras);
            Probes probes = new Probes(facts, files, getTargetContext().getClassLoader());
            probes.readSwitches();
            if (facts.containsKey("wattline.main")) {
                code = runMain(facts, sampler, result);
                send(probes.end());
            } else {
                screening = new Screening(facts, extras, sampler);
                send(screening.show(this, probes));
            }
            send(sampler.recorded(result));
        } catch (Exception e) {
            code = failed(e, result);
        }
        finish(code, result);
    }

    /** Makes a property of an extra that is there. */
    private void setProperty(String name) {
        if (extras.containsKey(name)) {
            System.setProperty(name, extras.getString(name));
        }
    }

    /** Calls the main method; the result's code. */
    private int runMain(Bundle facts, MethodSampler sampler, Bundle result) throws Exception {
        sampler.watch(extras.getString("wattline.begin"), extras.getString("wattline.end"));
        if (extras.containsKey("wattline.input")) {
            TimedInput.install(
                    extras.getString("wattline.input"), extras.getString("wattline.begin"));
        }
        Class<?> type =
                Class.forName(
                        facts.getString("wattline.main"),
                        true,
                        getTargetContext().getClassLoader());
        // Java starts a main method of any class; reflection asks for a public one.
        Method main = type.getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        try {
            main.invoke(null, (Object) arguments());
            return Activity.RESULT_OK;
        } catch (InvocationTargetException e) {
            return failed(e.getCause(), result);
        }
    }

    /** Says why, in the result and in the log; the result's code. */
    private static int failed(Throwable why, Bundle result) {
        why.printStackTrace();
        result.putString("wattline.end", trace(why));
        return Activity.RESULT_CANCELED;
    }

    /** Ends all with what a thread of the application threw. */
    void crash(Throwable why) {
        Bundle result = new Bundle();
        finish(failed(why, result), result);
    }

    @Override
    public void callActivityOnCreate(Activity activity, Bundle state) {
        Screening of = screening;
        if (of != null) {
            of.creating(activity);
        }
        super.callActivityOnCreate(activity, state);
    }

    @Override
    public void callActivityOnResume(Activity activity) {
        Screening of = screening;
        if (of != null) {
            of.resumed(activity);
        }
        super.callActivityOnResume(activity);
    }

    @Override
    public void callActivityOnPause(Activity activity) {
        super.callActivityOnPause(activity);
        Screening of = screening;
        if (of != null) {
            of.paused(activity);
        }
    }

    @Override
    public void callActivityOnDestroy(Activity activity) {
        super.callActivityOnDestroy(activity);
        Screening of = screening;
        if (of != null) {
            of.destroyed(activity);
        }
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

    /** Counts of an earlier run. */
    private static void remove(File folder) {
        for (File file : Probes.listed(folder)) {
            file.delete();
        }
    }

    /** Sends files, by name, in parts. */
    private void send(Map<String, String> files) {
        for (Map.Entry<String, String> file : files.entrySet()) {
            String text = file.getValue();
            int parts = Math.max(1, (text.length() + PART - 1) / PART);
            for (int part = 0; part < parts; part++) {
                Bundle status = new Bundle();
                status.putString("wattline.file", file.getKey());
                status.putString("wattline.part", String.valueOf(part + 1));
                status.putString("wattline.parts", String.valueOf(parts));
                int end = Math.min(text.length(), (part + 1) * PART);
                status.putString("wattline.text", text.substring(part * PART, end));
                sendStatus(STATUS_FILE, status);
            }
        }
    }

    private static String trace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }
}

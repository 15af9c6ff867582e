package wattline.board;

import android.app.Activity;
import android.app.Application;
import android.app.Instrumentation;
import android.content.ActivityNotFoundException;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;

/**
 * Begins a process of an application, as Android's zygote and activity thread do. Arguments:
 * {@code instrument CLASS} or {@code activity CLASS}, then {@code application CLASS},
 * {@code meta KEY VALUE} of the instrumentation, {@code declared CLASS} of an activity in the
 * manifest, and {@code extra TYPE KEY VALUE}, in any number.
 */
public final class Zygote {
    private final Bundle meta = new Bundle();
    private final Bundle extras = new Bundle();
    private final Set<String> declared = new HashSet<>();
    private String applicationClass = "android.app.Application";
    private Instrumentation instrumentation = new Instrumentation();
    private Application application;
    /** The activity that was started: the board's screen shows one. */
    private Activity shown;

    private Zygote() {
    }

    public static void main(String[] arguments) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler(Zygote::crash);
        Queue<String> words = new ArrayDeque<>(java.util.Arrays.asList(arguments));
        String kind = words.remove();
        String type = words.remove();
        Looper.prepareMainLooper();
        Zygote zygote = new Zygote();
        zygote.read(words);
        Touches touches = new Touches(() -> zygote.instrumentation.getResumed());
        Looper.myQueue().listen(touches::take);
        if (kind.equals("instrument")) {
            zygote.instrument(type);
        } else {
            zygote.start(type);
        }
        Looper.loop();
    }

    private void read(Queue<String> words) {
        while (!words.isEmpty()) {
            String word = words.remove();
            if (word.equals("application")) {
                applicationClass = words.remove();
            } else if (word.equals("meta")) {
                meta.putString(words.remove(), words.remove());
            } else if (word.equals("declared")) {
                declared.add(words.remove());
            } else {
                extra(words.remove(), words.remove(), words.remove());
            }
        }
    }

    private void extra(String type, String key, String value) {
        switch (type) {
            case "i":
                extras.putInt(key, Integer.decode(value));
                break;
            case "l":
                extras.putLong(key, Long.decode(value));
                break;
            case "f":
                extras.putFloat(key, Float.parseFloat(value));
                break;
            case "z":
                extras.putBoolean(key, value.equals("true") || value.equals("t") || value.equals("1"));
                break;
            default:
                extras.putString(key, value);
        }
    }

    private void instrument(String type) throws ReflectiveOperationException {
        BoardContext context = new BoardContext(meta, this::post);
        instrumentation = make(type, Instrumentation.class);
        application = application(context);
        instrumentation.attach(context, application, this::launch);
        instrumentation.onCreate(extras);
        application.onCreate();
    }

    private void start(String type) throws ReflectiveOperationException {
        Looper.getMainLooper().getQueue().keepAwake();
        BoardContext context = new BoardContext(meta, this::post);
        application = application(context);
        application.onCreate();
        Intent intent = new Intent(Intent.ACTION_MAIN).setClassName(context.getPackageName(), type);
        intent.putExtras(extras);
        launch(intent);
    }

    private Application application(Context context) throws ReflectiveOperationException {
        Application application = make(applicationClass, Application.class);
        application.attach(context);
        return application;
    }

    /** Starts an activity when the main thread comes to it. */
    private void post(Intent intent) {
        find(intent);
        new Handler(Looper.getMainLooper()).post(() -> launch(intent));
    }

    private String find(Intent intent) {
        ComponentName name = intent.getComponent();
        if (name == null || !name.getPackageName().equals(Board.packageName())
                || !declared.contains(name.getClassName())) {
            throw new ActivityNotFoundException("Unable to find explicit activity class "
                    + (name == null ? "{}" : name.toShortString())
                    + "; have you declared this activity in your AndroidManifest.xml?");
        }
        return name.getClassName();
    }

    /** Brings the activity that an intent names to the front, on the main thread. */
    private Activity launch(Intent intent) {
        String type = find(intent);
        if (shown != null && !shown.isFinishing()) {
            throw new UnsupportedOperationException("the virtual board's screen shows one activity, and that is "
                    + shown.getComponentName().toShortString());
        }
        try {
            shown = make(type, Activity.class);
        } catch (ReflectiveOperationException | ClassCastException e) {
            Throwable why = e instanceof InvocationTargetException ? e.getCause() : e;
            throw new RuntimeException(
                    "Unable to instantiate activity " + intent.getComponent() + ": " + why, why);
        }
        shown.attach(application, instrumentation, intent);
        shown.perform();
        return shown;
    }

    private static <T> T make(String type, Class<T> kind) throws ReflectiveOperationException {
        Class<?> found = Class.forName(type, true, Zygote.class.getClassLoader());
        return kind.cast(found.getDeclaredConstructor().newInstance());
    }

    /** What ends a process on Android; the board reads the trace on standard error. */
    private static void crash(Thread thread, Throwable thrown) {
        Board.report("crash", thrown.getClass().getName(), String.valueOf(thrown));
        System.err.print("Exception in thread \"" + thread.getName() + "\" ");
        thrown.printStackTrace();
        System.exit(1);
    }
}

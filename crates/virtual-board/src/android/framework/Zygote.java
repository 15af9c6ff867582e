package wattline.board;

import android.app.Activity;
import android.app.Application;
import android.app.Instrumentation;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.Looper;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Begins a process of an application, as Android's zygote and activity thread do. Arguments:
 * {@code instrument CLASS} or {@code activity CLASS}, then {@code application CLASS},
 * {@code meta KEY VALUE} of the instrumentation, and {@code extra TYPE KEY VALUE}, in any number.
 */
public final class Zygote {
    private final Bundle meta = new Bundle();
    private final Bundle extras = new Bundle();
    private String applicationClass = "android.app.Application";

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
        BoardContext context = new BoardContext(meta);
        Instrumentation instrumentation = make(type, Instrumentation.class);
        Application application = application(context);
        instrumentation.attach(context, application);
        instrumentation.onCreate(extras);
        application.onCreate();
    }

    private void start(String type) throws ReflectiveOperationException {
        Looper.getMainLooper().getQueue().keepAwake();
        BoardContext context = new BoardContext(meta);
        Application application = application(context);
        application.onCreate();
        Intent intent = new Intent(Intent.ACTION_MAIN).setClassName(context.getPackageName(), type);
        intent.putExtras(extras);
        launch(application, intent);
    }

    private Application application(Context context) throws ReflectiveOperationException {
        Application application = make(applicationClass, Application.class);
        application.attach(context);
        return application;
    }

    /** Brings the activity that an intent names to the front. */
    static void launch(Application application, Intent intent) throws ReflectiveOperationException {
        Activity activity = make(intent.getComponent().getClassName(), Activity.class);
        activity.attach(application, intent);
        activity.perform();
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

package wattline.board;

import android.app.Activity;
import android.app.Application;
import android.app.Instrumentation;
import android.content.ActivityNotFoundException;
import android.content.ComponentName;
import android.content.Intent;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import java.lang.reflect.InvocationTargetException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * Begins a process of an application, as Android's zygote and activity thread do. Arguments:
 * {@code instrument CLASS} or {@code activity CLASS}, then {@code application CLASS},
 * {@code of PACKAGE} and {@code meta KEY VALUE} of the instrumentation, {@code package NAME FILE},
 * {@code declared NAME CLASS} of an activity in the manifest, {@code service CLASS} of a service
 * there, and {@code extra TYPE KEY VALUE}, in any number.
 */
public final class Zygote implements Activity.Host {
    /** Flags of intents by which an activity does not go on top of the others. */
    private static final int OTHER_PLACES = 0x6402_8000;

    private final Bundle meta = new Bundle();
    private final Bundle extras = new Bundle();
    /** Activities by their names in the manifest. */
    private final Map<String, String> declared = new HashMap<>();
    /** Files of packages by their names. */
    private final Map<String, String> packages = new HashMap<>();
    private final ActivityStack activities = new ActivityStack();
    private final Services services = new Services();
    private String owner = Board.packageName();
    private String applicationClass = "android.app.Application";
    private Instrumentation instrumentation = new Instrumentation();
    private Application application;

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
        Touches touches = new Touches(() -> zygote.instrumentation.getResumed(), zygote::startFromOutside);
        Looper.myQueue().listen(touches::take);
        if (kind.equals("instrument")) {
            zygote.instrument(type);
        } else {
            zygote.begin(type);
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
            } else if (word.equals("of")) {
                owner = words.remove();
            } else if (word.equals("package")) {
                packages.put(words.remove(), words.remove());
            } else if (word.equals("declared")) {
                declared.put(words.remove(), words.remove());
            } else if (word.equals("service")) {
                services.declare(words.remove());
            } else {
                extra(extras, words.remove(), words.remove(), words.remove());
            }
        }
    }

    private static void extra(Bundle extras, String type, String key, String value) {
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
        BoardContext context = context(Board.packageName());
        instrumentation = make(type, Instrumentation.class);
        BoardContext own = owner.equals(Board.packageName()) ? context : context(owner);
        instrumentation.attach(own, context, intent -> launch(intent, null, -1));
        application = application(context);
        instrumentation.onCreate(extras);
        application.onCreate();
    }

    private void begin(String type) throws ReflectiveOperationException {
        Looper.getMainLooper().getQueue().keepAwake();
        BoardContext context = context(Board.packageName());
        application = application(context);
        application.onCreate();
        Intent intent = new Intent(Intent.ACTION_MAIN).setClassName(context.getPackageName(), type);
        intent.putExtras(extras);
        launch(intent, null, -1);
    }

    /** An activity, then type, name and value of each extra; one that is at the bottom stays there. */
    private void startFromOutside(String[] words) {
        Bundle extras = new Bundle();
        for (int i = 2; i + 2 < words.length; i += 3) {
            extra(extras, words[i], plain(words[i + 1]), plain(words[i + 2].substring(1)));
        }
        Intent intent = new Intent(Intent.ACTION_MAIN).setClassName(Board.packageName(), plain(words[1]));
        if (!activities.isRoot(find(intent))) {
            launch(intent.putExtras(extras), null, -1);
        }
    }

    private static String plain(String word) {
        return URLDecoder.decode(word, StandardCharsets.UTF_8);
    }

    private BoardContext context(String name) {
        ResourceTable table = ResourceTable.of(packages.get(name));
        return new BoardContext(name, table, meta, intent -> start(intent, null, -1), services);
    }

    private Application application(BoardContext context) throws ReflectiveOperationException {
        Application application = instrumentation.newApplication(context.getClassLoader(), applicationClass, context);
        context.setApplication(application);
        services.attach(application);
        return application;
    }

    /** Starts an activity when the main thread comes to it. */
    @Override
    public void start(Intent intent, Activity caller, int requestCode) {
        find(intent);
        Intent sent = intent.sent();
        new Handler(Looper.getMainLooper()).post(() -> launch(sent, caller, requestCode));
    }

    @Override
    public void leave(Activity activity) {
        activities.leave(activity);
    }

    private String find(Intent intent) {
        ComponentName name = intent.getComponent();
        String type = name == null ? null : declared.get(name.getClassName());
        if (type == null || !name.getPackageName().equals(Board.packageName())) {
            throw new ActivityNotFoundException("Unable to find explicit activity class "
                    + (name == null ? "{}" : name.toShortString())
                    + "; have you declared this activity in your AndroidManifest.xml?");
        }
        if ((intent.getFlags() & OTHER_PLACES) != 0) {
            throw new UnsupportedOperationException(
                    "the virtual board's activities go on top of each other, and this is to go elsewhere: " + intent);
        }
        return type;
    }

    /** Brings the activity that an intent names to the front, on the main thread. */
    private Activity launch(Intent intent, Activity caller, int requestCode) {
        String type = find(intent);
        Activity next = component("activity " + intent.getComponent(), type, Activity.class);
        next.attach(application, instrumentation, intent, this);
        next.calledBy(caller, requestCode);
        activities.start(next);
        return next;
    }

    /** A component of the application; without one of that class the process ends, as on Android. */
    static <T> T component(String what, String type, Class<T> kind) {
        try {
            return make(type, kind);
        } catch (ReflectiveOperationException | ClassCastException e) {
            Throwable why = e instanceof InvocationTargetException ? e.getCause() : e;
            throw new RuntimeException("Unable to instantiate " + what + ": " + why, why);
        }
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

package wattline;

import java.io.PrintStream;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;

/**
 * Says which activity the program works for, so that wattline can charge energy to it.
 *
 * <pre>
 * Activities.begin("search");
 * try { ... } finally { Activities.end(); }
 * </pre>
 *
 * Activities nest; the innermost one of a thread pays. They follow the work to other
 * threads through {@link #wrap(Runnable)}, {@link #wrap(Executor)}, {@link #post} and
 * {@link Message}. On Android the marks are sections of android.os.Trace (they stand in a
 * Perfetto trace); elsewhere, or with -Dwattline.activities=out, they are lines on standard
 * output; with -Dwattline.activities=off there are none. A mark that can't be made is left out:
 * the program goes on. No dependencies; Java 8 or later.
 */
public final class Activities {
    /** What every line begins with. */
    static final String MARK = "wattline-act ";
    /** What every section's name begins with. */
    static final String SECTION = "wattline:";

    private static final ThreadLocal<ArrayDeque<String>> OPEN = ThreadLocal.withInitial(ArrayDeque::new);
    private static final Sink SINK = sink();

    private Activities() {}

    /** Begins an activity on this thread. A label may name its origin: {@code node:name}. */
    public static void begin(String label) {
        String clean = clean(label);
        OPEN.get().push(clean);
        SINK.begin(clean);
    }

    /** Ends the innermost activity of this thread. */
    public static void end() {
        OPEN.get().poll();
        SINK.end();
    }

    /** The innermost activity of this thread; null if there is none. */
    public static String current() {
        return OPEN.get().peek();
    }

    /**
     * What this thread did since the innermost begin was for this activity, as it turns out:
     * its label was a proxy. Where marks are sections of a trace, which can't be renamed, the
     * section ends and another begins.
     */
    public static void bind(String label) {
        String clean = clean(label);
        ArrayDeque<String> open = OPEN.get();
        open.poll();
        open.push(clean);
        SINK.bind(clean);
    }

    /** Runs the work for an activity. */
    public static void run(String label, Runnable work) {
        if (label == null) {
            work.run();
            return;
        }
        begin(label);
        try {
            work.run();
        } finally {
            end();
        }
    }

    /** The same work for the activity that is current now, whichever thread will do it. */
    public static Runnable wrap(Runnable work) {
        String label = current();
        return () -> run(label, work);
    }

    /** The same for work with a result. */
    public static <T> Callable<T> wrap(Callable<T> work) {
        String label = current();
        return () -> {
            if (label == null) {
                return work.call();
            }
            begin(label);
            try {
                return work.call();
            } finally {
                end();
            }
        };
    }

    /** An executor whose work belongs to the activity that handed it over. */
    public static Executor wrap(Executor executor) {
        return work -> executor.execute(wrap(work));
    }

    /** Something that runs work later: {@code handler::post}, {@code queue::offer}. */
    public interface Poster {
        /** Takes the work; false if it refuses. */
        boolean post(Runnable work);
    }

    /**
     * Posts work that belongs to the activity that posts it: {@code Activities.post(handler::post,
     * work)}, or {@code Activities.post(r -> handler.postDelayed(r, 100), work)}.
     */
    public static boolean post(Poster poster, Runnable work) {
        return poster.post(wrap(work));
    }

    /** A message that carries the activity of who made it; its label may be sent along. */
    public static final class Message<T> {
        /** The label; null if there was no activity. */
        public final String label;
        /** What is sent. */
        public final T body;

        /** A message of the activity that is current now. */
        public Message(T body) {
            this(body, current());
        }

        /** A message that came from elsewhere with its label. */
        public Message(T body, String label) {
            this.body = body;
            this.label = label;
        }

        /** Handles the message for its activity. */
        public void handle(java.util.function.Consumer<? super T> handler) {
            run(label, () -> handler.accept(body));
        }
    }

    private static String clean(String label) {
        return label == null ? "null" : label.replace('\n', ' ').replace('\r', ' ');
    }

    /** Where marks go. */
    private interface Sink {
        void begin(String label);

        void end();

        void bind(String label);
    }

    private static Sink sink() {
        String wanted;
        try {
            wanted = System.getProperty("wattline.activities", "auto");
        } catch (SecurityException error) {
            wanted = "auto";
        }
        if (wanted.equals("off")) {
            return new Nowhere();
        }
        if (!wanted.equals("out")) {
            try {
                return new Sections(Class.forName("android.os.Trace"));
            } catch (ReflectiveOperationException | LinkageError error) {
                // No Android here.
            }
        }
        return new Lines();
    }

    private static final class Nowhere implements Sink {
        @Override
        public void begin(String label) {}

        @Override
        public void end() {}

        @Override
        public void bind(String label) {}
    }

    /** Lines on standard output: kind, nanoseconds, thread, label. */
    private static final class Lines implements Sink {
        @Override
        public void begin(String label) {
            print("B", " " + label);
        }

        @Override
        public void end() {
            print("E", "");
        }

        @Override
        public void bind(String label) {
            print("X", " " + label);
        }

        private static void print(String kind, String label) {
            PrintStream out = System.out;
            if (out != null) {
                out.println(MARK + kind + " " + System.nanoTime() + " " + Thread.currentThread().getId() + label);
            }
        }
    }

    /** Sections of android.os.Trace, by reflection. */
    private static final class Sections implements Sink {
        private final Method begin;
        private final Method end;

        Sections(Class<?> trace) throws ReflectiveOperationException {
            begin = trace.getMethod("beginSection", String.class);
            end = trace.getMethod("endSection");
        }

        @Override
        public void begin(String label) {
            String name = SECTION + label;
            // The platform refuses names of more than 127 characters.
            call(begin, name.length() > 127 ? name.substring(0, 127) : name);
        }

        @Override
        public void end() {
            call(end);
        }

        @Override
        public void bind(String label) {
            end();
            begin(label);
        }

        private static void call(Method method, Object... arguments) {
            try {
                method.invoke(null, arguments);
            } catch (ReflectiveOperationException | RuntimeException error) {
                // The trace lacks a section.
            }
        }
    }
}

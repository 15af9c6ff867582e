package wattline.monitor.service;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import wattline.monitor.probe.Clock;
import wattline.monitor.probe.Live;
import wattline.monitor.probe.Probe;
import wattline.monitor.probe.ThreadRecord;

/**
 * Everything of the agent beside the probes: what is woven or sampled, and the socket from
 * which it is read. One reader at a time; when it goes, probes are taken out.
 */
public final class Service {
    private static final Queue<String> PROBLEMS = new ConcurrentLinkedQueue<>();
    private static final long WINDOW_MICROS = 2000;
    /** The JVM's end waits no longer for its last reading. */
    private static final long LAST_MILLIS = 3000;
    /** A JVM that ends at once waits so long for the reader that started it. */
    private static final long READER_MILLIS = 1000;
    /** A reader that does not come in this time does not come: it has waited for a minute. */
    private static final long FIRST_NANOS = 120_000_000_000L;
    private static final long FOREVER_NANOS = Long.MAX_VALUE / 4;
    /** After a failure, so that one that lasts (no free descriptor) takes no CPU time. */
    private static final long PAUSE_NANOS = 100_000_000L;
    /** The thread that waits for a reader's commands. */
    static final String THREAD = "wattline-service";

    private final Instrumentation instrumentation;
    private final Methods methods = new Methods();
    private final List<ClassFileTransformer> woven = new ArrayList<>();
    private final AtomicBoolean isLast = new AtomicBoolean();
    private volatile Sampler sampler;
    private volatile Ended ended;
    private volatile Reader reader;
    private volatile boolean awaitsReader;
    private Filter filter;
    private int turn;

    public Service(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
        LiveThread.prepare();
    }

    /**
     * Lets the JVM's end be noticed: where the platform begins it, or in a running JVM, whose
     * code stays as it is, by a hook, which is not asked when it is halted.
     */
    private void noticeEnd(boolean running) {
        if (Probe.atEnd != null) {
            return;
        }
        Probe.atEnd = this::last;
        if (running) {
            Runtime.getRuntime().addShutdownHook(new Thread(this::last, "wattline-end"));
            return;
        }
        instrumentation.addTransformer(new Endings(), true);
        try {
            retransform(List.of(Class.forName(Endings.CLASS, false, null)));
        } catch (ClassNotFoundException other) {
            complain("the JVM's end is not noticed: " + other);
        }
    }

    /** The JVM ends: the reader gets what there is, without being asked. */
    private void last() {
        if (!isLast.compareAndSet(false, true)) {
            return;
        }
        Thread thread = new Thread(this::tellLast, "wattline-last");
        thread.setDaemon(true);
        thread.start();
        try {
            thread.join(LAST_MILLIS);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    private void tellLast() {
        long until = System.nanoTime() + READER_MILLIS * 1_000_000;
        try {
            while (reader == null && awaitsReader && System.nanoTime() < until) {
                Thread.sleep(10);
            }
            Reader known = reader;
            Sampler samples = sampler;
            if (known != null) {
                known.tellLast(samples == null ? () -> { } : samples::drain);
            }
        } catch (Throwable gone) {
            // the JVM ends: nobody is left to be told
        }
    }

    /** A problem that the reader is to know; the application does not. */
    static void complain(String problem) {
        if (PROBLEMS.size() < 20) {
            PROBLEMS.add(problem.replace('\n', ' '));
        }
    }

    static List<String> problems() {
        List<String> all = new ArrayList<>();
        for (String one = PROBLEMS.poll(); one != null; one = PROBLEMS.poll()) {
            all.add(one);
        }
        return all;
    }

    /**
     * Starts to measure and to listen, in a running JVM before there is something to read; gives
     * where a reader that waits for it finds it.
     */
    public synchronized String open(Properties settings) throws IOException {
        if (settings.containsKey("link")) {
            openLink(settings);
            return "";
        }
        boolean running = settings.getProperty("running", "no").equals("yes");
        awaitsReader = !running;
        Listener listener = Listener.open(socketFolder(settings, new File(settings.getProperty("folder")).toPath()),
                settings.getProperty("token"));
        try {
            begin(settings, running);
            noticeEnd(running);
        } catch (RuntimeException problem) {
            listener.close();
            end();
            throw problem;
        }
        int own = ++turn;
        start(() -> serve(listener, settings, own));
        if (sampler != null && running) {
            sampler.await();
        } else if (sampler != null) {
            sampler.awaitRecording();
        }
        return listener.address;
    }

    /** Waits for readers, one after the other, and does nothing else meanwhile. */
    private void openLink(Properties settings) throws IOException {
        String token = Link.token();
        Path link = Link.place(settings.getProperty("link"));
        Listener listener = Listener.open(socketFolder(settings, Link.socketFolder(link)), token);
        try {
            Link.write(link, listener.address, token);
        } catch (IOException | RuntimeException problem) {
            listener.close();
            throw problem;
        }
        noticeEnd(settings.getProperty("running", "no").equals("yes"));
        start(() -> serveAll(listener, settings));
    }

    private static Path socketFolder(Properties settings, Path folder) {
        return settings.getProperty("listen", "socket").equals("socket") ? folder : null;
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, THREAD);
        thread.setDaemon(true);
        thread.start();
    }

    private void serveAll(Listener listener, Properties settings) {
        while (true) {
            try {
                SocketChannel peer = listener.admit(System.nanoTime() + FOREVER_NANOS);
                if (peer != null) {
                    begin(settings, true);
                    read(peer, settings);
                }
            } catch (Throwable problem) {
                complain("the reader is gone: " + problem);
                LockSupport.parkNanos(PAUSE_NANOS);
            } finally {
                endQuietly();
            }
        }
    }

    /** Answers a reader until it goes. */
    private void read(SocketChannel peer, Properties settings) throws IOException {
        Reader admitted = new Reader(peer, settings, this, methods);
        reader = admitted;
        admitted.run();
    }

    /** Shares the CPU time of threads by what samples have found up to now. */
    void share(List<LiveThread> live, long endedNanos) {
        Sampler samples = sampler;
        if (samples != null) {
            samples.share(live, endedNanos);
        }
    }

    /** What samples have found, if they are taken. */
    Sampler sampler() {
        return sampler;
    }

    /** CPU time of threads that have ended, in nanoseconds since it is measured; -1
     * where that is not known. */
    long endedNanos() {
        Ended known = ended;
        return known == null ? -1 : known.nanos();
    }

    private synchronized void begin(Properties settings, boolean running) {
        end();
        methods.unfold();
        Live.clear();
        filter = new Filter(settings);
        ended = new Ended();
        boolean sampling = settings.getProperty("mode", "sampling").equals("sampling");
        boolean sampled = sampling || settings.getProperty("shares", "samples").equals("samples");
        if (sampled) {
            sampler = new Sampler(filter, methods, instrumentation, settings.getProperty("period-ms"), !sampling);
            if (running) {
                sampler.beginWith(LiveThread.all());
            }
            sampler.start();
        }
        Probe.byteSampler = sampling ? sampler : null;
        if (!sampling) {
            ThreadRecord.prepare();
            long duty = Long.parseLong(settings.getProperty("duty", "100"));
            Clock.tick(WINDOW_MICROS, duty >= 100 ? 0 : WINDOW_MICROS * (100 - duty) / duty);
            weave(new Weaver(filter, methods, settings.getProperty("small", "no").equals("yes")), loaded());
        }
        if (settings.getProperty("bytes", "yes").equals("yes")) {
            weave(new Sockets(), sockets());
        }
    }

    private void weave(ClassFileTransformer transformer, List<Class<?>> loaded) {
        instrumentation.addTransformer(transformer, true);
        woven.add(transformer);
        retransform(loaded);
    }

    /** All at once, which stops the application once; one by one where one of them fails. */
    private void retransform(List<Class<?>> classes) {
        try {
            if (!classes.isEmpty()) {
                instrumentation.retransformClasses(classes.toArray(new Class<?>[0]));
            }
            return;
        } catch (Throwable one) {
            // the loop says which
        }
        for (Class<?> one : classes) {
            try {
                instrumentation.retransformClasses(one);
            } catch (Throwable problem) {
                complain(one.getName() + ": " + problem);
            }
        }
    }

    /** Takes the probes out of some methods, by their numbers. */
    synchronized void fold(String numbers) {
        Set<String> owners = new HashSet<>();
        for (String word : numbers.trim().split(" ")) {
            int number = Integer.parseInt(word);
            Live.never(number);
            owners.add(methods.fold(number));
        }
        if (!woven.isEmpty()) {
            List<Class<?>> classes = loaded();
            classes.removeIf(one -> !owners.contains(one.getName()));
            retransform(classes);
        }
    }

    private List<Class<?>> loaded() {
        List<Class<?>> found = new ArrayList<>();
        for (Class<?> one : instrumentation.getAllLoadedClasses()) {
            if (one.getClassLoader() != null && filter.accepts(one.getName()) && instrumentation.isModifiableClass(one)) {
                found.add(one);
            }
        }
        return found;
    }

    private List<Class<?>> sockets() {
        List<Class<?>> found = new ArrayList<>();
        for (String name : Sockets.CLASSES) {
            try {
                found.add(Class.forName(name, false, null));
            } catch (ClassNotFoundException other) {
                continue; // another release has it
            }
        }
        return found;
    }

    /** Takes the probes out. */
    private synchronized void end() {
        if (sampler != null) {
            sampler.stop();
            sampler = null;
            Probe.byteSampler = null;
        }
        if (woven.isEmpty()) {
            return;
        }
        boolean wasWoven = false;
        for (ClassFileTransformer one : woven) {
            wasWoven |= one instanceof Weaver;
            instrumentation.removeTransformer(one);
        }
        woven.clear();
        Live.clear();
        Clock.tick(0, 0);
        if (wasWoven) {
            retransform(loaded());
        }
        retransform(sockets());
    }

    /** The application has nothing to do with what fails here. */
    private void endQuietly() {
        try {
            end();
        } catch (Throwable problem) {
            complain("the probes are not taken out: " + problem);
        }
    }

    private void serve(Listener listener, Properties settings, int own) {
        try (Listener open = listener) {
            SocketChannel peer = open.admit(System.nanoTime() + FIRST_NANOS);
            if (peer != null) {
                read(peer, settings);
            }
        } catch (Throwable gone) {
            complain("the reader is gone: " + gone);
        }
        synchronized (this) {
            // another reader may have taken over
            if (own == turn) {
                endQuietly();
            }
        }
    }
}

package wattline.monitor.service;

import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import wattline.monitor.probe.Probe;
import wattline.monitor.probe.ThreadRecord;

/**
 * Shares the processor time of threads among the topmost frames that the filter accepts, by
 * samples of the recorder or, in a JVM without one, by looks. Nothing is woven.
 */
final class Sampler implements Probe.ByteSampler {
    static final int DEPTH = 64;
    /** Between two samples of the recorder, where nobody says otherwise. */
    private static final long PERIOD_MILLIS = 40;
    /** There are fewer native methods than others, and a sample of one is dearer. */
    static final int PERIODS_PER_TURN = 2;
    private static final String RECORDER = "wattline.monitor.service.Recorder";
    /** With it, compiled code has its place in the sources at every instruction. */
    private static final String LOCATED = "-XX:+DebugNonSafepoints";
    /** Of the recorder's native samples, when the older ones begin to count for less. */
    private static final double TURNS_KEPT = 500;

    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Filter filter;
    private final Methods methods;
    private final SourceFiles files;
    private final String period;
    private final Map<Long, ThreadRecord> records = new HashMap<>();
    private final Map<Long, Recent> recent = new HashMap<>();
    private final CountDownLatch begun = new CountDownLatch(1);
    /** Of real time, between two samples. */
    private final double periodNanos;
    /** When processor time was shared the last time. */
    private long sharedNanos;
    private double nativeTurns;
    private double ownTurns;
    /** Real time in which these were, and when the last one was. */
    private double ownNanos;
    private long ownLast;
    private volatile AutoCloseable recorder;
    private volatile boolean stopped;

    /** The period in milliseconds, or null for one that costs little. */
    Sampler(Filter filter, Methods methods, Instrumentation instrumentation, String period) {
        this.filter = filter;
        this.methods = methods;
        this.files = new SourceFiles(instrumentation);
        this.period = period;
        this.periodNanos = 1e6 * periodMillis();
    }

    private long periodMillis() {
        return period == null ? PERIOD_MILLIS : Long.parseLong(period);
    }

    /** Samples from now on, in a thread of its own. */
    void start() {
        Thread thread = new Thread(this::run, "wattline-sampler");
        thread.setDaemon(true);
        thread.start();
    }

    /** Waits until there are samples, for not too long. */
    void await() {
        try {
            begun.await(5, TimeUnit.SECONDS);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    void stop() {
        stopped = true;
        close();
    }

    private void run() {
        String problem = record();
        begun.countDown();
        if (!stopped) {
            Service.complain("no Flight Recorder (" + problem + "): looks at safepoints tell what runs");
            new Looks(this, period).run(() -> stopped);
        }
    }

    /** Until it is stopped, or not possible any more; gives the reason. */
    private String record() {
        String problem = "it has stopped";
        try {
            Runnable made = (Runnable) Class.forName(RECORDER).getDeclaredConstructor(Sampler.class, long.class)
                    .newInstance(this, periodMillis());
            recorder = (AutoCloseable) made;
            if (!ManagementFactory.getRuntimeMXBean().getInputArguments().contains(LOCATED)) {
                Service.complain("samples in inlined methods may count for methods around them: the JVM"
                        + " was started without -XX:+UnlockDiagnosticVMOptions " + LOCATED);
            }
            if (!stopped) {
                made.run();
            }
        } catch (ReflectiveOperationException | LinkageError | RuntimeException none) {
            problem = String.valueOf(none.getCause() == null ? none : none.getCause());
        }
        close();
        forget();
        return problem;
    }

    /** What samples said must not be shared any more: looks book what they find. */
    private synchronized void forget() {
        recent.clear();
    }

    private void close() {
        try {
            AutoCloseable open = recorder;
            if (open != null) {
                open.close();
            }
        } catch (Exception problem) {
            Service.complain("the Flight Recorder was not stopped: " + problem);
        }
    }

    boolean accepts(String owner) {
        return filter.accepts(owner);
    }

    /** A sample of a thread in Java code. */
    synchronized void inJava(long thread, long system, String owner, String name, int line) {
        sample(thread, system, number(owner, name, files.of(owner), line), Recent.Place.IN_JAVA, 1);
    }

    /** A sample of a thread that has used a period's processor time since the last one. */
    synchronized void onProcessor(long thread, long system, String owner, String name, int line) {
        inJava(thread, system, owner, name, line);
    }

    /**
     * A sample of a thread in a native method, which calls the system or does not. Threads in
     * native methods have samples in turn, so each stands for as many turns as there are such
     * threads: as there are samples for one of a thread that is always in a native method,
     * which the agent's own is.
     */
    synchronized void inNative(long thread, long system, String owner, String name, int line, boolean calls) {
        double turns = ownTurns > 0 ? nativeTurns / ownTurns : 1;
        Recent.Place place = calls ? Recent.Place.CALLING : Recent.Place.IN_NATIVE;
        sample(thread, system, number(owner, name, files.of(owner), line), place, PERIODS_PER_TURN * turns);
        double apart = ownTurns > 1 ? ownNanos / ownTurns / periodNanos : PERIODS_PER_TURN * turns;
        recent.get(thread).inNative(calls ? 0 : apart);
    }

    /** Whose turn it was, and when: of all samples in native methods. */
    synchronized void turn(String thread, long nanos) {
        nativeTurns++;
        if (Service.THREAD.equals(thread)) {
            ownTurns++;
            // without the first one, which is a small part soon
            ownNanos += ownLast == 0 ? 0 : Math.max(0, nanos - ownLast);
            ownLast = nanos;
        }
        if (nativeTurns > TURNS_KEPT) {
            nativeTurns /= 2;
            ownTurns /= 2;
            ownNanos /= 2;
        }
        begun.countDown();
    }

    private void sample(long thread, long system, int method, Recent.Place place, double periods) {
        recent.computeIfAbsent(thread, id -> new Recent()).add(system, method, place, periods);
        record(thread).sample(method);
        begun.countDown();
    }

    /** Shares what threads have used since the last time as their samples of late say. */
    synchronized void share() {
        long[] ids = threads.getAllThreadIds();
        long[] times = threads.getThreadCpuTime(ids);
        Set<Long> alive = new HashSet<>();
        double periods = sharedNanos == 0 ? 0 : (System.nanoTime() - sharedNanos) / periodNanos;
        sharedNanos = System.nanoTime();
        for (int i = 0; i < ids.length; i++) {
            alive.add(ids[i]);
            Recent of = recent.computeIfAbsent(ids[i], id -> new Recent());
            long more = of.used(times[i]);
            of.passed(periods, more / periodNanos, periodNanos);
            if (more > 0 && of.isKnown()) {
                long user = of.doesBoth() ? Math.max(0, threads.getThreadUserTime(ids[i])) : 0;
                of.share(more, user, record(ids[i]));
            }
        }
        recent.keySet().retainAll(alive);
        records.keySet().retainAll(alive);
    }

    /** Books a look's time. */
    synchronized void book(long thread, int method, long nanos) {
        record(thread).sample(method);
        record(thread).time(method, nanos);
    }

    /** The record of a thread by number: made by the thread itself, or here. */
    private ThreadRecord record(long id) {
        ThreadRecord known = records.get(id);
        if (known == null) {
            for (Thread thread : Service.threads()) {
                if (thread.getId() == id) {
                    known = ThreadRecord.of(thread);
                }
            }
            if (known == null) {
                // it ends just now
                known = ThreadRecord.of(Thread.currentThread());
            }
            records.put(id, known);
        }
        return known;
    }

    StackTraceElement accepted(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (filter.accepts(frame.getClassName())) {
                return frame;
            }
        }
        return null;
    }

    /** Whether a native method waits: a thread in it does not run. */
    static boolean waits(String owner, String method) {
        switch (owner) {
            case "sun.nio.ch.EPoll":
            case "sun.nio.ch.EPollArrayWrapper":
            case "sun.nio.ch.KQueue":
                return method.startsWith("wait") || method.equals("epollWait") || method.equals("poll");
            case "sun.nio.ch.Net":
                return method.equals("poll") || method.equals("accept");
            case "java.net.PlainSocketImpl":
                return method.equals("socketAccept");
            case "java.lang.ref.Reference":
                return true;
            default:
                return false;
        }
    }

    /** Whether the native methods of a class call the system: those for files and sockets. */
    static boolean callsSystem(String owner) {
        return owner.startsWith("sun.nio.") || owner.startsWith("java.io.") || owner.startsWith("java.net.");
    }

    int number(StackTraceElement frame) {
        return number(frame.getClassName(), frame.getMethodName(), frame.getFileName(), frame.getLineNumber());
    }

    private int number(String owner, String name, String file, int line) {
        int known = Math.max(0, line);
        int lambda = owner.indexOf("$$Lambda");
        // what follows is another number in each run
        String stable = lambda < 0 ? owner : owner.substring(0, lambda + "$$Lambda".length());
        return methods.number(stable, name, "", file, known, known);
    }

    /** The bytes since the last look go to the method that is on top now. */
    @Override
    public void book(ThreadRecord record) {
        StackTraceElement frame = StackWalker.getInstance().walk(frames -> frames.limit(DEPTH)
                .filter(one -> filter.accepts(one.getClassName())).findFirst()
                .map(StackWalker.StackFrame::toStackTraceElement).orElse(null));
        if (frame != null) {
            record.bytes(number(frame), record.outsideIn, record.outsideOut);
            record.outsideIn = 0;
            record.outsideOut = 0;
        }
    }
}

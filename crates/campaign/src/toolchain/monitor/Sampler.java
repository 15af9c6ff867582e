package wattline.monitor.service;

import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import wattline.monitor.probe.Probe;
import wattline.monitor.probe.ThreadRecord;

/**
 * Shares the CPU time of threads among the topmost frames that the filter accepts, and
 * by who called them, by samples of the recorder or, in a JVM without one, by looks. Nothing
 * is woven.
 *
 * Threads that have ended share what they used by the samples that were seen of threads of the
 * same kin. A living thread without a sample of its own does as its kin did, and one that carries
 * virtual threads as these do. Whatever has no sample by any of these gets no method.
 */
final class Sampler implements Probe.ByteSampler {
    static final int DEPTH = 64;
    /** Between two samples of the recorder, where nobody says otherwise. */
    private static final long PERIOD_MILLIS = 40;
    /** There are fewer native methods than others, and a sample of one is more expensive. */
    static final int PERIODS_PER_TURN = 2;
    private static final String RECORDER = "wattline.monitor.service.Recorder";
    /** With it, compiled code has its place in the sources at every instruction. */
    private static final String LOCATED = "-XX:+DebugNonSafepoints";
    /** The number under which threads that have ended are told; no thread has it. */
    static final long ENDED = 0;
    /** The kin of threads that carry virtual ones. */
    private static final String VIRTUAL = "(virtual threads)";
    private static final int KIN_KEPT = 1000;
    /** Of the recorder's native samples, when the older ones begin to count for less. */
    private static final double TURNS_KEPT = 500;

    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Filter filter;
    private final Methods methods;
    private final SourceFiles files;
    private final String period;
    private final boolean byDescriptor;
    private final CallTree tree = new CallTree();
    private final Map<Long, Sampled> sums = new HashMap<>();
    private final Map<Long, Recent> recent = new HashMap<>();
    private final Map<String, Recent> kin = new HashMap<>();
    private final EndedThreads ended = new EndedThreads();
    private long endedShared;
    private final CountDownLatch recording = new CountDownLatch(1);
    private final CountDownLatch begun = new CountDownLatch(1);
    /** Of real time, between two samples. */
    private final double periodNanos;
    /** When CPU time was shared the last time. */
    private long sharedNanos;
    private double nativeTurns;
    private double ownTurns;
    /** Real time in which these were, and when the last one was. */
    private double ownNanos;
    private long ownLast;
    private volatile Source recorder;
    private volatile boolean stopped;

    /** Where samples come from. */
    interface Source extends Runnable, AutoCloseable {
        /** Gives the samples that would come later, and no others from then on. */
        void drain() throws Exception;
    }

    /**
     * The period in milliseconds, or null for one that costs little. Methods are told apart by
     * descriptor where probes count them, and else by line.
     */
    Sampler(Filter filter, Methods methods, Instrumentation instrumentation, String period, boolean byDescriptor) {
        this.filter = filter;
        this.methods = methods;
        this.byDescriptor = byDescriptor;
        this.files = new SourceFiles(instrumentation);
        this.period = period;
        this.periodNanos = 1e6 * periodMillis();
    }

    private long periodMillis() {
        return period == null ? PERIOD_MILLIS : Long.parseLong(period);
    }

    /** Whether nobody has said how long a period is. */
    boolean choosesPeriod() {
        return period == null;
    }

    /** What threads have used before is nobody's: it is not known what they did. */
    synchronized void beginWith(List<LiveThread> live) {
        for (LiveThread thread : live) {
            recent.computeIfAbsent(thread.id, id -> new Recent()).used(thread.usedNanos);
        }
    }

    /** Samples from now on, in a thread of its own. */
    void start() {
        Thread thread = new Thread(this::run, "wattline-sampler");
        thread.setDaemon(true);
        thread.start();
    }

    /** Samples are taken from now on. */
    void isRecording() {
        recording.countDown();
    }

    /** Waits until samples are taken, for not too long: short programs would have none. */
    void awaitRecording() {
        await(recording);
    }

    /** Waits until there are samples, for not too long. */
    void await() {
        await(begun);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(5, TimeUnit.SECONDS);
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
        isRecording();
        begun.countDown();
        if (!stopped && byDescriptor) {
            Service.complain("no Flight Recorder (" + problem + "): durations share the CPU time");
        } else if (!stopped) {
            Service.complain("no Flight Recorder (" + problem + "): looks at safepoints tell what runs");
            new Looks(this, period).run(() -> stopped);
        }
    }

    /** Until it is stopped, or not possible any more; gives the reason. */
    private String record() {
        String problem = "it has stopped";
        try {
            Source made = (Source) Class.forName(RECORDER).getDeclaredConstructor(Sampler.class, long.class)
                    .newInstance(this, periodMillis());
            recorder = made;
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
        kin.clear();
    }

    /** The JVM ends: what the recorder would say later. */
    void drain() {
        try {
            Source open = recorder;
            if (open != null) {
                open.drain();
            }
        } catch (Exception | LinkageError problem) {
            Service.complain("the last samples are lost: " + problem);
        }
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
    synchronized void inJava(Sighting seen) {
        sample(seen, Recent.Place.IN_JAVA, 1);
    }

    /** A sample of a thread after so much of its CPU time, wherever it is. */
    synchronized void afterCpuTime(Sighting seen, long nanos) {
        sample(seen, Recent.Place.IN_JAVA, nanos / periodNanos);
    }

    /** A thread has ended after so much CPU time. */
    synchronized void ended(long thread, String name, double nanos) {
        Recent known = recent.get(thread);
        ended.reported(Sighting.kin(name), Math.max(0, nanos - (known == null ? 0 : known.used())));
    }

    /**
     * A sample of a thread in a native method, which calls the system or does not. Threads in
     * native methods have samples in turn, so each stands for as many turns as there are such
     * threads: as there are samples for one of a thread that is always in a native method,
     * which the agent's own is.
     */
    synchronized void inNative(Sighting seen, boolean calls) {
        double turns = ownTurns > 0 ? nativeTurns / ownTurns : 1;
        Recent.Place place = calls ? Recent.Place.CALLING : Recent.Place.IN_NATIVE;
        sample(seen, place, PERIODS_PER_TURN * turns);
        double apart = ownTurns > 1 ? ownNanos / ownTurns / periodNanos : PERIODS_PER_TURN * turns;
        of(seen).inNative(calls ? 0 : apart);
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

    private void sample(Sighting seen, Recent.Place place, double periods) {
        of(seen).add(seen.system, seen.node, place, periods);
        sums(seen.thread).sample(seen.node);
        begun.countDown();
    }

    private Recent of(Sighting seen) {
        if (seen.isVirtual) {
            return kin(VIRTUAL);
        }
        Recent of = recent.computeIfAbsent(seen.thread, id -> new Recent());
        of.kin = seen.kin;
        return of;
    }

    private Recent kin(String name) {
        return kin.computeIfAbsent(name, none -> new Recent());
    }

    /** Shares what threads have used since the last time, and what ended ones have used of it. */
    synchronized void share(List<LiveThread> live, long endedNanos) {
        long now = System.nanoTime();
        double periods = sharedNanos == 0 ? 0 : (now - sharedNanos) / periodNanos;
        sharedNanos = now;
        Set<Long> alive = new HashSet<>();
        for (LiveThread thread : live) {
            alive.add(thread.id);
            Recent of = recent.computeIfAbsent(thread.id, id -> new Recent());
            long more = of.used(thread.usedNanos);
            of.passed(periods, more / periodNanos, periodNanos);
            if (thread.carries) {
                // what it does itself, between two virtual threads
                kin(VIRTUAL).takeNewest(of);
            }
            if (more > 0) {
                share(thread, of, more);
            }
            of.isShared();
        }
        endAllBut(alive);
        if (endedNanos > endedShared) {
            ended.share(endedNanos - endedShared, new EndedShare());
        }
        endedShared = Math.max(endedShared, endedNanos);
    }

    /** Shares what ended threads used among the methods that their group was seen in. */
    private final class EndedShare implements EndedThreads.Share {
        /** Beside probes, durations share what has no sample. */
        @Override
        public boolean accepts(EndedThreads.Group group) {
            return !byDescriptor || isSampled(group);
        }

        private boolean isSampled(EndedThreads.Group group) {
            Recent known = kin.get(group.kin);
            return known != null && known.isKnown();
        }

        @Override
        public void give(EndedThreads.Group group, long nanos) {
            if (isSampled(group)) {
                kin.get(group.kin).shareByNumbers(nanos, sums(group.number));
            }
        }
    }

    /** The threads that have ended, of which all together used so much. */
    synchronized void tellEnded(long nanos, StringBuilder to) {
        long rest = ended.tell(nanos, to);
        to.append("thread ").append(ENDED).append(' ').append(rest).append(" (ended, or virtual)\n");
    }

    private void share(LiveThread thread, Recent of, long nanos) {
        Recent kin = this.kin.get(thread.carries ? VIRTUAL : Sighting.kin(thread.name));
        if (of.isKnown() && !thread.carries) {
            long user = of.doesBoth() ? Math.max(0, threads.getThreadUserTime(thread.id)) : 0;
            of.share(nanos, user, sums(thread.id));
        } else if (kin != null && kin.isKnown()) {
            kin.shareByNumbers(nanos, sums(thread.id));
        }
    }

    private void endAllBut(Set<Long> alive) {
        for (Iterator<Map.Entry<Long, Recent>> all = recent.entrySet().iterator(); all.hasNext();) {
            Map.Entry<Long, Recent> one = all.next();
            if (!alive.contains(one.getKey())) {
                ended.sampled(one.getValue().kin, one.getValue().newestPeriods() * periodNanos);
                kin(one.getValue().kin).takeNewest(one.getValue());
                all.remove();
            }
        }
        if (kin.size() > KIN_KEPT) {
            // names that no two threads share
            kin.clear();
        }
    }

    /** The nodes of the tree of calls from a number on. */
    List<String> nodes(int from) {
        return tree.from(from);
    }

    /** What samples say, of what has changed; those that are not alive say so a last time. */
    synchronized void tell(Set<Long> alive, StringBuilder to) {
        for (Iterator<Map.Entry<Long, Sampled>> all = sums.entrySet().iterator(); all.hasNext();) {
            Map.Entry<Long, Sampled> one = all.next();
            one.getValue().tell(one.getKey(), to);
            long thread = one.getKey();
            if (thread != ENDED && thread < EndedThreads.FIRST && !alive.contains(thread)) {
                all.remove();
            }
        }
    }

    /** Books a look's time. */
    synchronized void book(long thread, int method, long nanos) {
        int node = tree.node(new int[] {method}, 1);
        sums(thread).sample(node);
        sums(thread).time(node, nanos);
    }

    private Sampled sums(long thread) {
        return sums.computeIfAbsent(thread, id -> new Sampled());
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

    /** The place of a path of calls: methods' numbers, the innermost first. */
    int node(int[] numbers, int count) {
        return tree.node(numbers, count);
    }

    int number(StackTraceElement frame) {
        return number(frame.getClassName(), frame.getMethodName(), "", frame.getFileName(), frame.getLineNumber());
    }

    /** A method that was seen at a line; one that was called has none. */
    int number(String owner, String name, String descriptor, int line) {
        return number(owner, name, byDescriptor ? descriptor : "", files.of(owner), line);
    }

    private int number(String owner, String name, String descriptor, String file, int line) {
        int known = Math.max(0, line);
        int lambda = owner.indexOf("$$Lambda");
        // what follows is another number in each run
        String stable = lambda < 0 ? owner : owner.substring(0, lambda + "$$Lambda".length());
        return methods.number(stable, name, descriptor, file, known, known);
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

package wattline.monitor.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import jdk.jfr.consumer.RecordingStream;

/**
 * Where threads run, by samples of the JVM's Flight Recorder. From JDK 25 on, on Linux, each
 * thread has a sample at ticks of the clock for which it runs, or after so much CPU time, wherever
 * it is. Before that Flight
 * Recorder halts some of the threads at moments of real time, and has threads in native
 * methods in turns of their own. In a jar of its own: JDKs before 14 have no streams.
 */
final class Recorder implements Sampler.Source, FlightRecorderListener {
    private static final String IN_JAVA = "jdk.ExecutionSample";
    private static final String IN_NATIVE = "jdk.NativeMethodSample";
    private static final String BY_PROCESSOR_TIME = "jdk.CPUTimeSample";
    /** Of a thread that ends, if it used a millisecond or more. */
    private static final String CPU_LOAD = "jdk.ThreadCPULoad";
    private static final String STARTS = "jdk.ThreadStart";
    private static final String OWN_THREADS = "wattline-";
    /** For which a tick stands: the most common one; as all weigh the same, any would do. */
    private static final long TICK_NANOS = 4_000_000;
    private static final String PROBES = "wattline.monitor.";

    /** Stays when the samples end: JDK 17's Flight Recorder wakes up a hundred times a second
     * once no event has a period, and once a second while one has. */
    private static Recording rest;

    private final RecordingStream stream = new RecordingStream();
    private final Sampler sampler;
    private final TimerTicks ticks;
    private final ThreadStarts starts = new ThreadStarts();
    /** When the last sample was that has been taken. */
    private Instant last = Instant.MIN;
    private boolean isDrained;

    Recorder(Sampler sampler, long periodMillis) {
        this.sampler = sampler;
        stream.setReuse(true);
        stream.setOrdered(false);
        takeEnds();
        if (samplesProcessorTime()) {
            ticks = sampler.choosesPeriod() ? new TimerTicks() : null;
            throttle(ticks == null ? periodMillis + " ms" : TimerTicks.EVERY);
            stream.onEvent(BY_PROCESSOR_TIME, this::takeOnce);
            return;
        }
        ticks = null;
        Duration period = Duration.ofMillis(periodMillis);
        stream.enable(IN_JAVA).withPeriod(period);
        stream.enable(IN_NATIVE).withPeriod(period.multipliedBy(Sampler.PERIODS_PER_TURN));
        stream.onEvent(IN_JAVA, this::takeOnce);
        stream.onEvent(IN_NATIVE, this::takeOnce);
    }

    private void throttle(String period) {
        stream.enable(BY_PROCESSOR_TIME).with("throttle", period);
    }

    /** The load since the start of a thread is given when it ends. */
    private void takeEnds() {
        stream.enable(CPU_LOAD).withPeriod(Duration.ofDays(1));
        stream.enable(STARTS).withoutStackTrace();
        stream.onEvent(CPU_LOAD, this::takeOnce);
        stream.onEvent(STARTS, this::takeOnce);
    }

    private static boolean samplesProcessorTime() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return false;
        }
        for (EventType type : FlightRecorder.getFlightRecorder().getEventTypes()) {
            if (type.getName().equals(BY_PROCESSOR_TIME)) {
                return true;
            }
        }
        return false;
    }

    /** Until it is closed. */
    @Override
    public void run() {
        rest();
        FlightRecorder.addListener(this);
        stream.start();
    }

    /** The stream's recording is the first to run after the one at rest. */
    @Override
    public void recordingStateChanged(Recording recording) {
        if (recording.getState() == RecordingState.RUNNING) {
            sampler.isRecording();
        }
    }

    private static synchronized void rest() {
        if (rest == null) {
            rest = new Recording();
            rest.setName("wattline at rest");
            rest.setToDisk(false);
            rest.enable("jdk.PhysicalMemory").withPeriod(Duration.ofDays(1));
            rest.start();
        }
    }

    @Override
    public void close() {
        FlightRecorder.removeListener(this);
        stream.close();
    }

    /** The stream is up to a second late; the recording itself is not. */
    @Override
    public void drain() throws IOException {
        Instant from;
        synchronized (this) {
            isDrained = true;
            from = last;
        }
        Path file = Files.createTempFile("wattline", ".jfr");
        try (Recording all = FlightRecorder.getFlightRecorder().takeSnapshot()) {
            all.dump(file);
            try (RecordingFile events = new RecordingFile(file)) {
                while (events.hasMoreEvents()) {
                    RecordedEvent event = events.readEvent();
                    if (event.getStartTime().isAfter(from)) {
                        take(event);
                    }
                }
            }
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private synchronized void takeOnce(RecordedEvent event) {
        if (!isDrained) {
            last = event.getStartTime().isAfter(last) ? event.getStartTime() : last;
            take(event);
        }
    }

    private void take(RecordedEvent event) {
        switch (event.getEventType().getName()) {
            case IN_JAVA:
                take(event, event.getThread("sampledThread"), sampler::inJava);
                return;
            case BY_PROCESSOR_TIME:
                takeAfterCpuTime(event);
                return;
            case STARTS:
                takeStart(event);
                return;
            case CPU_LOAD:
                takeEnd(event);
                return;
            case IN_NATIVE:
                takeNative(event);
                return;
            default:
        }
    }

    /** Ticks weigh the same; of other periods, several may have passed. */
    private void takeAfterCpuTime(RecordedEvent event) {
        long nanos = event.getDuration("samplingPeriod").toNanos();
        if (ticks != null && ticks.areTooMany(nanos)) {
            throttle(TimerTicks.SPARSE);
        }
        long weight = ticks == null ? nanos : TICK_NANOS;
        take(event, event.getThread("eventThread"), seen -> sampler.afterCpuTime(seen, weight));
    }

    private void takeStart(RecordedEvent event) {
        RecordedThread thread = event.getThread("thread");
        if (thread != null && thread.getJavaThreadId() > 0) {
            starts.add(thread.getJavaThreadId(), event.getStartTime());
        }
    }

    /** The load is the part of all processors' time since the thread's start. */
    private void takeEnd(RecordedEvent event) {
        RecordedThread thread = event.getThread("eventThread");
        Instant start = thread == null ? null : starts.remove(thread.getJavaThreadId());
        if (start == null || String.valueOf(thread.getJavaName()).startsWith(OWN_THREADS)) {
            return;
        }
        double load = event.getFloat("user") + event.getFloat("system");
        double nanos = load * Runtime.getRuntime().availableProcessors()
                * Duration.between(start, event.getStartTime()).toNanos();
        sampler.ended(thread.getJavaThreadId(), thread.getJavaName(), nanos);
    }

    private void takeNative(RecordedEvent event) {
        RecordedThread thread = event.getThread("sampledThread");
        RecordedStackTrace stack = event.getStackTrace();
        if (thread == null || stack == null || stack.getFrames().isEmpty()) {
            return;
        }
        Instant at = event.getStartTime();
        sampler.turn(thread.getJavaName(), at.getEpochSecond() * 1_000_000_000 + at.getNano());
        RecordedMethod top = stack.getFrames().get(0).getMethod();
        if (!Sampler.waits(top.getType().getName(), top.getName())) {
            boolean calls = Sampler.callsSystem(top.getType().getName());
            take(event, thread, seen -> sampler.inNative(seen, calls));
        }
    }

    /** Gives the path of calls of those frames that take part. */
    private void take(RecordedEvent event, RecordedThread thread, Place to) {
        RecordedStackTrace stack = event.getStackTrace();
        if (thread == null || stack == null || stack.getFrames().isEmpty() || isProbe(stack.getFrames().get(0))) {
            return;
        }
        int[] path = new int[stack.getFrames().size()];
        int length = 0;
        for (RecordedFrame frame : stack.getFrames()) {
            RecordedMethod method = frame.getMethod();
            String owner = method.getType().getName();
            if (!method.isHidden() && sampler.accepts(owner)) {
                int line = length == 0 ? frame.getLineNumber() : 0;
                path[length++] = sampler.number(owner, method.getName(), method.getDescriptor(), line);
            }
        }
        if (length == 0 && stack.isTruncated()) {
            return;
        }
        boolean isVirtual = thread.hasField("virtual") && thread.getBoolean("virtual");
        to.sample(new Sighting(thread.getJavaThreadId(), thread.getOSThreadId(), thread.getJavaName(), isVirtual,
                sampler.node(path, length)));
    }

    /** What a probe itself takes is no method's. */
    private static boolean isProbe(RecordedFrame frame) {
        return frame.getMethod().getType().getName().startsWith(PROBES);
    }

    private interface Place {
        void sample(Sighting seen);
    }
}

package wattline.monitor.service;

import java.time.Duration;
import java.time.Instant;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingStream;

/**
 * Where threads run, by samples of the JVM's Flight Recorder. From JDK 25 on, on Linux, each
 * thread has a sample after so much processor time, wherever it is. Before that Flight
 * Recorder halts some of the threads at moments of real time, and has threads in native
 * methods in turns of their own. In a jar of its own: JDKs before 14 have no streams.
 */
final class Recorder implements Runnable, AutoCloseable {
    private static final String IN_JAVA = "jdk.ExecutionSample";
    private static final String IN_NATIVE = "jdk.NativeMethodSample";
    private static final String BY_PROCESSOR_TIME = "jdk.CPUTimeSample";

    /** Stays when the samples end: JDK 17's Flight Recorder wakes up a hundred times a second
     * once no event has a period, and once a second while one has. */
    private static Recording rest;

    private final RecordingStream stream = new RecordingStream();
    private final Sampler sampler;

    Recorder(Sampler sampler, long periodMillis) {
        this.sampler = sampler;
        stream.setReuse(true);
        stream.setOrdered(false);
        if (samplesProcessorTime()) {
            stream.enable(BY_PROCESSOR_TIME).with("throttle", periodMillis + " ms");
            stream.onEvent(BY_PROCESSOR_TIME, event -> take(event, event.getThread("eventThread"), sampler::onProcessor));
            return;
        }
        Duration period = Duration.ofMillis(periodMillis);
        stream.enable(IN_JAVA).withPeriod(period);
        stream.enable(IN_NATIVE).withPeriod(period.multipliedBy(Sampler.PERIODS_PER_TURN));
        stream.onEvent(IN_JAVA, event -> take(event, event.getThread("sampledThread"), sampler::inJava));
        stream.onEvent(IN_NATIVE, this::takeNative);
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
        stream.start();
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
        stream.close();
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
            take(event, thread, (id, system, owner, name, line) -> sampler.inNative(id, system, owner, name, line, calls));
        }
    }

    /** Gives the topmost frame that takes part. */
    private void take(RecordedEvent event, RecordedThread thread, Place to) {
        RecordedStackTrace stack = event.getStackTrace();
        if (thread == null || stack == null) {
            return;
        }
        for (RecordedFrame frame : stack.getFrames()) {
            RecordedMethod method = frame.getMethod();
            if (!method.isHidden() && sampler.accepts(method.getType().getName())) {
                to.sample(thread.getJavaThreadId(), thread.getOSThreadId(), method.getType().getName(),
                        method.getName(), frame.getLineNumber());
                return;
            }
        }
    }

    private interface Place {
        void sample(long thread, long systemThread, String owner, String method, int line);
    }
}

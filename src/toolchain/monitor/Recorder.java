package wattline.monitor.service;

import java.time.Duration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingStream;

/**
 * Where threads run, by samples of the JVM's Flight Recorder: it halts one thread wherever it
 * is, and needs no safepoint. In a jar of its own: JDKs before 14 have no streams.
 */
final class Recorder implements Runnable, AutoCloseable {
    private static final String IN_JAVA = "jdk.ExecutionSample";
    private static final String IN_NATIVE = "jdk.NativeMethodSample";

    /** Stays when the samples end: JDK 17's Flight Recorder wakes up a hundred times a second
     * once no event has a period, and once a second while one has. */
    private static Recording rest;

    private final RecordingStream stream = new RecordingStream();
    private final Sampler sampler;

    Recorder(Sampler sampler, long periodMillis) {
        this.sampler = sampler;
        Duration period = Duration.ofMillis(periodMillis);
        stream.enable(IN_JAVA).withPeriod(period);
        stream.enable(IN_NATIVE).withPeriod(period.multipliedBy(Sampler.PERIODS_PER_TURN));
        stream.setReuse(true);
        stream.setOrdered(false);
        stream.onEvent(IN_JAVA, event -> take(event, sampler::inJava));
        stream.onEvent(IN_NATIVE, this::takeNative);
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
        sampler.turn(thread.getJavaName());
        RecordedMethod top = stack.getFrames().get(0).getMethod();
        if (!Sampler.waits(top.getType().getName(), top.getName())) {
            boolean calls = Sampler.callsSystem(top.getType().getName());
            take(event, (id, owner, name, line) -> sampler.inNative(id, owner, name, line, calls));
        }
    }

    /** Gives the topmost frame that takes part. */
    private void take(RecordedEvent event, Place to) {
        RecordedThread thread = event.getThread("sampledThread");
        RecordedStackTrace stack = event.getStackTrace();
        if (thread == null || stack == null) {
            return;
        }
        for (RecordedFrame frame : stack.getFrames()) {
            RecordedMethod method = frame.getMethod();
            if (!method.isHidden() && sampler.accepts(method.getType().getName())) {
                to.sample(thread.getJavaThreadId(), method.getType().getName(), method.getName(),
                        frame.getLineNumber());
                return;
            }
        }
    }

    private interface Place {
        void sample(long thread, String owner, String method, int line);
    }
}

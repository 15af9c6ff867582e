import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * The samples of a Flight Recorder file as collapsed stacks, with descriptors and lines:
 * {@code FlightSamples FILE [FROM_MS TO_MS]}, times since 1970; without arguments they are the
 * lines of standard input. Samples by CPU time,
 * where the recording has them (JDK 25 on Linux), else those of threads that run Java. Samples
 * of the virtual machine's own threads, which async-profiler takes as well, are left out.
 */
public final class FlightSamples {
    private static final String BY_PROCESSOR_TIME = "jdk.CPUTimeSample";
    private static final String IN_JAVA = "jdk.ExecutionSample";

    public static void main(String[] given) throws IOException {
        String[] arguments = given.length > 0 ? given
            : new String(System.in.readAllBytes(), StandardCharsets.UTF_8).split("\n");
        Instant from = arguments.length > 2 ? Instant.ofEpochMilli(Long.parseLong(arguments[1])) : Instant.MIN;
        Instant to = arguments.length > 2 ? Instant.ofEpochMilli(Long.parseLong(arguments[2])) : Instant.MAX;
        Map<String, long[]> byTime = new TreeMap<>();
        Map<String, long[]> inJava = new TreeMap<>();
        try (RecordingFile file = new RecordingFile(Path.of(arguments[0]))) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                String name = event.getEventType().getName();
                Map<String, long[]> kind = name.equals(IN_JAVA) ? inJava : name.equals(BY_PROCESSOR_TIME) ? byTime : null;
                Instant at = event.getStartTime();
                if (kind != null && !at.isBefore(from) && at.isBefore(to) && isJavas(event)) {
                    kind.computeIfAbsent(stack(event.getStackTrace()), key -> new long[1])[0]++;
                }
            }
        }
        boolean timed = !byTime.isEmpty();
        PrintStream out = new PrintStream(new BufferedOutputStream(System.out), false, StandardCharsets.UTF_8);
        out.println("# " + (timed ? BY_PROCESSOR_TIME : IN_JAVA));
        for (Map.Entry<String, long[]> entry : (timed ? byTime : inJava).entrySet()) {
            out.println(entry.getKey() + ' ' + entry.getValue()[0]);
        }
        out.flush();
    }

    private static boolean isJavas(RecordedEvent event) {
        RecordedThread thread = event.getThread(event.hasField("sampledThread") ? "sampledThread" : "eventThread");
        return thread == null || thread.getJavaThreadId() > 0;
    }

    private static String stack(RecordedStackTrace trace) {
        if (trace == null || trace.getFrames().isEmpty()) {
            return "[unknown]";
        }
        StringBuilder text = new StringBuilder();
        List<RecordedFrame> frames = trace.getFrames();
        for (int i = frames.size() - 1; i >= 0; i--) {
            RecordedMethod method = frames.get(i).getMethod();
            text.append(method.getType().getName()).append('.').append(method.getName()).append(method.getDescriptor());
            if (frames.get(i).getLineNumber() > 0) {
                text.append(':').append(frames.get(i).getLineNumber());
            }
            text.append(i > 0 ? ";" : "");
        }
        // A name of a class file may have line breaks.
        return text.toString().replace('\n', '?');
    }
}

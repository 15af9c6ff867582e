package wattline.monitor.service;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import wattline.monitor.probe.Clock;
import wattline.monitor.probe.Live;
import wattline.monitor.probe.ThreadRecord;

/**
 * One connection: for each `read`, what has changed since the last one, as it stands.
 * Figures are sums from the beginning; differences are the other side's business. So is
 * which methods are called too often to be counted all the time (`window NUMBER...`), or to
 * carry a probe (`fold NUMBER...` takes it out).
 */
final class Reader {
    private final Connection connection;
    private final Writer out;
    private final Properties settings;
    private final Service service;
    private final Methods methods;
    private final com.sun.management.OperatingSystemMXBean system =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final CountDownLatch greeted = new CountDownLatch(1);
    private final Map<ThreadRecord, long[]> told = new IdentityHashMap<>();
    private int methodsTold;
    private int nodesTold;
    private boolean isOver;

    Reader(SocketChannel peer, Properties settings, Service service, Methods methods) throws IOException {
        connection = new Connection(peer);
        this.settings = settings;
        this.service = service;
        this.methods = methods;
        out = new BufferedWriter(new OutputStreamWriter(connection, StandardCharsets.UTF_8));
    }

    void run() throws IOException {
        try (Connection open = connection) {
            out.write("wattline-monitor 3 pid=" + ProcessHandle.current().pid() + " mode="
                    + settings.getProperty("mode", "sampling") + " java=" + System.getProperty("java.version")
                    + " now=" + System.nanoTime() + '\n');
            out.flush();
            greeted.countDown();
            for (String command = open.readLine(); command != null; command = open.readLine()) {
                if (command.equals("read")) {
                    tell();
                } else if (command.startsWith("window ")) {
                    for (String number : command.substring(7).trim().split(" ")) {
                        Live.inWindows(Integer.parseInt(number));
                    }
                } else if (command.startsWith("fold ")) {
                    service.fold(command.substring(5));
                } else {
                    break;
                }
            }
        }
    }

    /**
     * The last one, for which nobody has asked: `last` stands before it. One that is asked for
     * meanwhile waits for it, as it would share time whose samples are to come yet.
     */
    void tellLast(Runnable drain) throws IOException, InterruptedException {
        greeted.await();
        synchronized (this) {
            drain.run();
            out.write("last\n");
            tell();
            isOver = true;
        }
    }

    private synchronized void tell() throws IOException {
        if (isOver) {
            return;
        }
        connection.beginAnswer();
        List<LiveThread> live = LiveThread.all();
        long used = system.getProcessCpuTime();
        long ended = service.endedNanos();
        service.share(live, ended);
        out.write("cycle " + System.nanoTime() + ' ' + used + ' ' + Clock.now() + '\n');
        for (String problem : Service.problems()) {
            out.write("problem " + problem + '\n');
        }
        // numbers are given out before they are used, so what they name comes after the figures
        StringBuilder figures = new StringBuilder();
        tellThreads(live, ended, figures);
        ThreadRecord.VIRTUAL.update();
        tellRecord(ThreadRecord.VIRTUAL, figures);
        for (Iterator<ThreadRecord> all = ThreadRecord.ALL.iterator(); all.hasNext();) {
            ThreadRecord record = all.next();
            tellRecord(record, figures);
            Thread thread = record.thread.get();
            if (thread == null || !thread.isAlive()) {
                all.remove();
                told.remove(record);
            }
        }
        tellSamples(live, figures);
        for (String line : methods.from(methodsTold)) {
            out.write(line + '\n');
            methodsTold++;
        }
        out.append(figures).write("end\n");
        out.flush();
    }

    private void tellThreads(List<LiveThread> live, long ended, StringBuilder figures) {
        for (LiveThread thread : live) {
            figures.append("thread ").append(thread.id).append(' ').append(thread.usedNanos).append(' ')
                    .append(thread.name).append('\n');
        }
        Sampler sampler = service.sampler();
        if (ended >= 0 && sampler != null) {
            sampler.tellEnded(ended, figures);
        } else if (ended >= 0) {
            figures.append("thread ").append(Sampler.ENDED).append(' ').append(ended).append(" (ended, or virtual)\n");
        }
    }

    private void tellSamples(List<LiveThread> live, StringBuilder figures) throws IOException {
        Sampler sampler = service.sampler();
        if (sampler == null) {
            return;
        }
        Set<Long> alive = new HashSet<>();
        for (LiveThread thread : live) {
            alive.add(thread.id);
        }
        sampler.tell(alive, figures);
        for (String line : sampler.nodes(nodesTold)) {
            figures.append(line).append('\n');
            nodesTold++;
        }
    }

    /** `m THREAD METHOD TIME CALLS CALLS_IN_WINDOWS WAITED IN OUT` of what has changed, and the running frame. */
    private void tellRecord(ThreadRecord record, StringBuilder figures) {
        long[] calls = record.calls;
        long[] inWindows = record.callsInWindows;
        long[] time = record.time;
        long[] waited = record.waited;
        long[] bytes = record.bytes;
        long[] before = told.getOrDefault(record, new long[0]);
        int length = Math.min(Math.min(calls.length, time.length), Math.min(waited.length, bytes.length / 2));
        length = Math.min(length, inWindows.length);
        long[] now = new long[length];
        for (int i = 0; i < length; i++) {
            long sum = time[i] + calls[i] + inWindows[i] + waited[i] + bytes[2 * i] + bytes[2 * i + 1];
            now[i] = sum;
            if (sum != (i < before.length ? before[i] : 0)) {
                figures.append("m ").append(record.id).append(' ').append(i).append(' ').append(time[i]).append(' ')
                        .append(calls[i]).append(' ').append(inWindows[i]).append(' ').append(waited[i]).append(' ').append(bytes[2 * i])
                        .append(' ').append(bytes[2 * i + 1]).append('\n');
            }
        }
        told.put(record, now);
        if (record.outsideIn + record.outsideOut > 0) {
            figures.append("outside ").append(record.id).append(' ').append(record.outsideIn).append(' ')
                    .append(record.outsideOut).append('\n');
        }
        int running = record.running();
        if (running >= 0 && !record.isWaiting()) {
            figures.append("running ").append(record.id).append(' ').append(running).append(' ')
                    .append(record.running(Clock.now())).append('\n');
        }
    }
}

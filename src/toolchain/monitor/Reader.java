package wattline.monitor.service;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Properties;
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
    private final Socket socket;
    private final BufferedReader in;
    private final Writer out;
    private final Properties settings;
    private final Service service;
    private final Methods methods;
    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final com.sun.management.OperatingSystemMXBean system =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Map<ThreadRecord, long[]> told = new IdentityHashMap<>();
    private int methodsTold;

    private Reader(Socket socket, Properties settings, Service service, Methods methods) throws IOException {
        this.socket = socket;
        this.settings = settings;
        this.service = service;
        this.methods = methods;
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        out = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8));
    }

    /** A reader that knows the word of the settings; others are turned away. */
    static Reader admitted(Socket socket, Properties settings, Service service, Methods methods) {
        try {
            socket.setSoTimeout(5000);
            socket.setTcpNoDelay(true);
            Reader reader = new Reader(socket, settings, service, methods);
            if (settings.getProperty("token", "").equals(reader.in.readLine())) {
                socket.setSoTimeout(0);
                return reader;
            }
            socket.close();
        } catch (IOException stranger) {
            Service.complain("a connection was turned away: " + stranger);
        }
        return null;
    }

    void run() throws IOException {
        try (Socket open = socket) {
            out.write("wattline-monitor 2 pid=" + ProcessHandle.current().pid() + " mode="
                    + settings.getProperty("mode", "sampling") + " java=" + System.getProperty("java.version") + '\n');
            out.flush();
            for (String command = in.readLine(); command != null; command = in.readLine()) {
                if (command.equals("read")) {
                    tell();
                    out.flush();
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

    private void tell() throws IOException {
        service.share();
        out.write("cycle " + System.nanoTime() + ' ' + system.getProcessCpuTime() + ' ' + Clock.now() + '\n');
        for (String problem : Service.problems()) {
            out.write("problem " + problem + '\n');
        }
        // numbers are given out before they are used, so the methods come after the figures
        StringBuilder figures = new StringBuilder();
        tellThreads(figures);
        for (Iterator<ThreadRecord> all = ThreadRecord.ALL.iterator(); all.hasNext();) {
            ThreadRecord record = all.next();
            tellRecord(record, figures);
            Thread thread = record.thread.get();
            if (thread == null || !thread.isAlive()) {
                all.remove();
                told.remove(record);
            }
        }
        for (String line : methods.from(methodsTold)) {
            out.write(line + '\n');
            methodsTold++;
        }
        out.append(figures).write("end\n");
    }

    private void tellThreads(StringBuilder figures) {
        long[] ids = threads.getAllThreadIds();
        long[] times = threads.getThreadCpuTime(ids);
        ThreadInfo[] infos = threads.getThreadInfo(ids);
        for (int i = 0; i < ids.length; i++) {
            if (infos[i] != null && times[i] >= 0) {
                String name = infos[i].getThreadName().replace('\n', ' ');
                figures.append("thread ").append(ids[i]).append(' ').append(times[i]).append(' ').append(name).append('\n');
            }
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

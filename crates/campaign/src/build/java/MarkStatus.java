package org.wattline.runner;

import android.app.Instrumentation;
import android.os.Bundle;
import android.os.Process;
import android.os.SystemClock;

/**
 * Says marks in the instrumentation's status, too, with the times at which they were printed: a log
 * that can't be made larger may have lost them before anybody looks. Each is a status of its own:
 * wattline.said, the line; wattline.at, seconds since the device's start; wattline.pid.
 */
final class MarkStatus implements WatchedOutput.Watcher {
    private static final int STATUS_MARK = 3;
    /** What a microbenchmark prints before its marks. */
    private static final String ITERATIONS = "wattline: iterations";

    private final Instrumentation sayer;
    private final String[] starts;

    private MarkStatus(Instrumentation sayer, String begin, String end) {
        this.sayer = sayer;
        starts = new String[] {begin, end, ITERATIONS};
    }

    /** Where the extras wattline.say.begin and wattline.say.end ask for it. */
    static void install(Instrumentation sayer, Bundle extras) {
        String begin = extras.getString("wattline.say.begin");
        String end = extras.getString("wattline.say.end");
        if (begin != null && end != null) {
            WatchedOutput.watch(new MarkStatus(sayer, begin, end));
        }
    }

    @Override
    public void printed(String line) {
        for (String start : starts) {
            if (line.equals(start) || line.startsWith(start + " ")) {
                say(line, SystemClock.elapsedRealtime());
                return;
            }
        }
    }

    private void say(String line, long millis) {
        long second = millis / 1000;
        Bundle status = new Bundle();
        status.putString("wattline.said", line);
        // The 1 keeps the zeros.
        status.putString("wattline.at", second + "." + String.valueOf(1000 + millis % 1000).substring(1));
        // Always seven digits: how many a process number has must not change what a run spends.
        status.putString("wattline.pid", String.valueOf(10_000_000 + Process.myPid()).substring(1));
        sayer.sendStatus(STATUS_MARK, status);
    }
}

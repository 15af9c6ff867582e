package org.wattline.runner;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Standard output that passes all on, and tells of lines. */
final class WatchedOutput extends PrintStream {
    /** What wants to know of lines. */
    interface Watcher {
        /** A line was printed by println. */
        void printed(String line);
    }

    private final List<Watcher> watchers = new ArrayList<Watcher>();

    private WatchedOutput(PrintStream out) {
        super(out, true);
    }

    /** Tells of every line that System.out prints from now on. */
    static void watch(Watcher watcher) {
        // One for all: what a stream prints comes to the one below it as bytes.
        if (!(System.out instanceof WatchedOutput)) {
            System.setOut(new WatchedOutput(System.out));
        }
        ((WatchedOutput) System.out).watchers.add(watcher);
    }

    @Override
    public void println(String text) {
        super.println(text);
        if (text != null) {
            for (Watcher watcher : watchers) {
                watcher.printed(text);
            }
        }
    }
}

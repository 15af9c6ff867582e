package org.wattline.runner;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Standard output that passes all on, and sees lines. */
final class WatchedOutput extends PrintStream {
    private final List<String> lines = new ArrayList<String>();
    /** What is to be done when a line was printed, by its place. */
    private final List<Runnable> then = new ArrayList<Runnable>();

    private WatchedOutput(PrintStream out) {
        super(out, true);
    }

    /** Has something done when System.out has printed a line. */
    static void watch(String line, Runnable then) {
        // One for all: what a stream prints comes to the one below it as bytes.
        if (!(System.out instanceof WatchedOutput)) {
            System.setOut(new WatchedOutput(System.out));
        }
        WatchedOutput out = (WatchedOutput) System.out;
        out.lines.add(line);
        out.then.add(then);
    }

    @Override
    public void println(String text) {
        super.println(text);
        for (int i = 0; i < lines.size(); i++) {
            if (text != null && text.equals(lines.get(i))) {
                then.get(i).run();
            }
        }
    }
}

package wattline.monitor.service;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/** What samples say of one thread: CPU time and samples by node of the tree of calls. */
final class Sampled {
    private final Map<Integer, long[]> sums = new HashMap<>();
    private final TreeSet<Integer> changed = new TreeSet<>();

    void time(int node, long nanos) {
        of(node)[0] += nanos;
    }

    void sample(int node) {
        of(node)[1]++;
    }

    private long[] of(int node) {
        changed.add(node);
        return sums.computeIfAbsent(node, none -> new long[2]);
    }

    /** `s THREAD NODE TIME SAMPLES` of what has changed since the last time. */
    void tell(long thread, StringBuilder to) {
        for (int node : changed) {
            long[] sum = sums.get(node);
            to.append("s ").append(thread).append(' ').append(node).append(' ').append(sum[0]).append(' ')
                    .append(sum[1]).append('\n');
        }
        changed.clear();
    }
}

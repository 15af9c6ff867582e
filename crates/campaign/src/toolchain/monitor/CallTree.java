package wattline.monitor.service;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The paths of calls that samples have met: a node is a method on one of them. */
final class CallTree {
    /** The node of samples without a method that takes part. */
    static final int OUTSIDE = -1;
    /** More paths than this lose their callers. */
    private static final int LIMIT = 1 << 16;

    private final Map<Long, Integer> nodes = new HashMap<>();
    private final List<String> lines = new ArrayList<>();

    /** The node of a path: methods' numbers, the innermost first, of which so many count. */
    synchronized int node(int[] methods, int count) {
        if (count == 0) {
            return OUTSIDE;
        }
        int node = OUTSIDE;
        for (int i = lines.size() < LIMIT ? count - 1 : 0; i >= 0; i--) {
            node = child(node, methods[i]);
        }
        return node;
    }

    private int child(int parent, int method) {
        long key = ((long) parent << 32) | method;
        Integer known = nodes.get(key);
        if (known == null) {
            known = lines.size();
            nodes.put(key, known);
            lines.add("node " + known + ' ' + parent + ' ' + method);
        }
        return known;
    }

    /** The lines of the nodes from a number on; a parent stands before its children. */
    synchronized List<String> from(int number) {
        return new ArrayList<>(lines.subList(Math.min(number, lines.size()), lines.size()));
    }
}

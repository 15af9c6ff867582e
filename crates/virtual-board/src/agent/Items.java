package wattline.simulation.weaver;

import java.util.LinkedHashMap;
import java.util.Map;

/** What one count stands for: executions of patterns by line, in the order they came. */
final class Items {
    /** States of a method in which an item costs something. */
    static final char ALWAYS = ' ';
    /** While it is interpreted. */
    static final char INTERPRETED = 'i';
    /** Compiled, by itself or into its caller. */
    static final char COMPILED = 'c';
    /** Wherever it is called: not compiled into its caller. */
    static final char CALLED = 'r';

    private final Map<Long, int[]> counts = new LinkedHashMap<>();

    void add(int line, int pattern, char state, int count) {
        long key = (long) line << 32 | (long) state << 24 | pattern;
        int[] known = counts.get(key);
        if (known == null) {
            counts.put(key, new int[] {count});
        } else {
            known[0] += count;
        }
    }

    boolean isEmpty() {
        return counts.isEmpty();
    }

    void clear() {
        counts.clear();
    }

    /** Writes {@code LINE:N*COUNT} for each, with the state's letter after N. */
    void write(StringBuilder lines) {
        for (Map.Entry<Long, int[]> item : counts.entrySet()) {
            int rest = item.getKey().intValue();
            lines.append('\t').append(item.getKey() >> 32).append(':').append(rest & 0xffffff);
            if (rest >> 24 != ALWAYS) {
                lines.append((char) (rest >> 24));
            }
            lines.append('*').append(item.getValue()[0]);
        }
    }
}

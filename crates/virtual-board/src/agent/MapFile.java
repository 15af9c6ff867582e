package wattline.simulation.weaver;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The file that says what each counter stands for. Lines of fields separated by
 * tabs: {@code pattern N TEXT}, {@code class NAME SOURCE OUTER KIND},
 * {@code method NAME DESCRIPTOR SIGNATURE ACCESS} and
 * {@code block ID LINE:N*COUNT...}; a block belongs to the method before it and a
 * method to the class before it; N is the number of a pattern.
 *
 * On the compiled chip there are, in the place of {@code block}, {@code code NUMBER
 * INSTRUCTIONS} after a method, {@code place HASH LINE:NS*COUNT...} for each of its
 * counters, where S is the state in which it costs something (see Items), and
 * {@code copy ID NUMBER STATE CALL}: the counters of a method in this state begin at ID,
 * compiled into its caller at the counter CALL.
 */
final class MapFile {
    private final OutputStream out;
    private final StringBuilder pending = new StringBuilder();
    private final Map<String, Integer> patterns = new HashMap<>();

    MapFile(String path) throws IOException {
        out = new FileOutputStream(path);
    }

    /** The number of a pattern, which is written when it is new. */
    synchronized int pattern(String text) {
        Integer known = patterns.get(text);
        if (known != null) {
            return known;
        }
        int number = patterns.size();
        patterns.put(text, number);
        pending.append("pattern\t").append(number).append('\t').append(text).append('\n');
        return number;
    }

    /** Adds the lines of a class. */
    synchronized void append(CharSequence lines) {
        pending.append(lines);
    }

    synchronized void flush() throws IOException {
        if (pending.length() > 0) {
            out.write(pending.toString().getBytes(StandardCharsets.UTF_8));
            pending.setLength(0);
        }
    }
}

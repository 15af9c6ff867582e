package wattline.monitor.service;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The methods that were seen, by number. */
final class Methods {
    /** What comes later, of an application that makes classes as it runs, is one method. */
    private static final int LIMIT = 1 << 18;

    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> lines = new ArrayList<>();
    private final List<String> owners = new ArrayList<>();
    private final BitSet folded = new BitSet();
    private final BitSet woven = new BitSet();

    /**
     * The number of a method; the same for the same class, name and descriptor. Without a
     * descriptor it is a sample's, and each line has its own: what was inlined there is
     * told by it.
     */
    synchronized int number(String owner, String name, String descriptor, String file, int first, int last) {
        String key = owner + '\t' + name + '\t' + descriptor;
        String place = descriptor.isEmpty() ? key + first : key;
        Integer known = numbers.get(place);
        if (known != null) {
            return known;
        }
        if (lines.size() >= LIMIT && !owner.isEmpty()) {
            return number("", "(others)", "", "", 0, 0);
        }
        int number = lines.size();
        numbers.put(place, number);
        owners.add(owner);
        lines.add("method " + number + '\t' + clean(key) + '\t' + clean(file == null ? "" : file)
                + '\t' + first + '\t' + last);
        return number;
    }

    /** Marks a method as one without a probe; gives its class. */
    synchronized String fold(int number) {
        folded.set(number);
        return owners.get(number);
    }

    /** All may carry one again. */
    synchronized void unfold() {
        folded.clear();
        woven.clear();
    }

    /** Whether a method gets its probe for the first time. */
    synchronized boolean isNew(int number) {
        boolean known = woven.get(number);
        woven.set(number);
        return !known;
    }

    /** Whether a method goes without a probe. */
    synchronized boolean isFolded(int number) {
        return folded.get(number);
    }

    /** The lines of the methods from a number on. */
    synchronized List<String> from(int number) {
        return new ArrayList<>(lines.subList(Math.min(number, lines.size()), lines.size()));
    }

    private static String clean(String text) {
        return text.indexOf('\n') < 0 ? text : text.replace('\n', '?');
    }
}

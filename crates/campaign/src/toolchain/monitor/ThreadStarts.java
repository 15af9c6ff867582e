package wattline.monitor.service;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * When threads started that have not ended. A thread that has used less than a millisecond ends
 * without an event, so of many starts the oldest are forgotten.
 */
final class ThreadStarts {
    static final int KEPT = 100_000;

    private final Map<Long, Instant> starts = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Instant> eldest) {
            return size() > KEPT;
        }
    };

    void add(long thread, Instant start) {
        starts.put(thread, start);
    }

    /** The start of a thread that ends; null if it is not known. */
    Instant remove(long thread) {
        return starts.remove(thread);
    }
}

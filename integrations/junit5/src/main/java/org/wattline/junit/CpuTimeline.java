package org.wattline.junit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * CPU time of tests and remainders over time. Each begin and end of a test starts a new segment,
 * so that the same tests run throughout a segment.
 *
 * <p>A test owns the CPU time of the thread that runs it. Other threads of the program belong to
 * the test that runs, if it is the only one; nothing tells whose they are if several run.
 */
final class CpuTimeline {
    /** A test on the thread that runs it. */
    static final class Running {
        private final EnergyAccount account;
        private final long thread = Thread.currentThread().getId();

        private Running(EnergyAccount account) {
            this.account = account;
        }
    }

    private final JavaThreads javaThreads = new JavaThreads();
    private final JvmThreads jvmThreads = new JvmThreads();
    private final Map<Remainder, EnergyAccount> remainders = new EnumMap<>(Remainder.class);
    private final Deque<CpuSegment> segments = new ArrayDeque<>();
    private final List<Running> running = new ArrayList<>();
    private long lastNanos = System.nanoTime();
    /** CPU time that readings have taken since the last segment ended. */
    private long overheadNanos;

    CpuTimeline() {
        for (Remainder remainder : Remainder.values()) {
            remainders.put(remainder, new EnergyAccount());
        }
        // What was spent before is nobody's.
        jvmThreads.advance();
    }

    EnergyAccount remainder(Remainder remainder) {
        return remainders.get(remainder);
    }

    synchronized Running begin(EnergyAccount account) {
        advance();
        Running begun = new Running(account);
        running.add(begun);
        return begun;
    }

    /** Ends a test; gives the moment. */
    synchronized long end(Running ended) {
        advance();
        running.remove(ended);
        return lastNanos;
    }

    /**
     * Ends the current segment, whatever runs; gives the moment. The calling thread is read before
     * all others and after them, since these readings take CPU time that belongs to no test.
     */
    synchronized long advance() {
        long now = System.nanoTime();
        if (now > lastNanos) {
            Map<Long, Long> caller = Map.of(Thread.currentThread().getId(), javaThreads.advanceCaller());
            Map<EnergyAccount, Long> owners = new IdentityHashMap<>();
            long rest = addThreads(caller, owners);
            Map<Long, Long> others = javaThreads.advance();
            Long reading = others.remove(Thread.currentThread().getId());
            overheadNanos += reading == null ? 0 : reading;
            rest += addThreads(others, owners);
            rest += javaThreads.endedNanos(addJvm(owners));
            owners.merge(ownerOfRest(), rest, Long::sum);
            owners.merge(remainders.get(Remainder.WATTLINE), overheadNanos, Long::sum);
            segments.add(new CpuSegment(lastNanos, now, owners));
            lastNanos = now;
            overheadNanos = javaThreads.advanceCaller();
        }
        return lastNanos;
    }

    /** Adds what threads with a known owner have spent; gives what the others have. */
    private long addThreads(Map<Long, Long> spent, Map<EnergyAccount, Long> owners) {
        long rest = 0;
        for (Map.Entry<Long, Long> thread : spent.entrySet()) {
            EnergyAccount owner = owner(thread.getKey());
            if (owner == null) {
                rest += thread.getValue();
            } else {
                owners.merge(owner, thread.getValue(), Long::sum);
            }
        }
        return rest;
    }

    /** Adds what the JVM's own threads have spent; gives their sum. */
    private long addJvm(Map<EnergyAccount, Long> owners) {
        long sum = 0;
        for (Map.Entry<Remainder, Long> own : jvmThreads.advance().entrySet()) {
            owners.merge(remainders.get(own.getKey()), own.getValue(), Long::sum);
            sum += own.getValue();
        }
        return sum;
    }

    private EnergyAccount owner(long thread) {
        // A thread that waits for others may run a test within a test: the inner one comes last.
        for (int i = running.size() - 1; i >= 0; i--) {
            if (running.get(i).thread == thread) {
                return running.get(i).account;
            }
        }
        Remainder remainder = javaThreads.owner(thread);
        return remainder == null ? null : remainders.get(remainder);
    }

    private EnergyAccount ownerOfRest() {
        switch (running.size()) {
            case 0:
                return remainders.get(Remainder.OUTSIDE);
            case 1:
                return running.get(0).account;
            default:
                return remainders.get(Remainder.SHARED);
        }
    }

    /** Divides the energy of a cycle that has passed, and forgets what lies before its end. */
    synchronized void settle(MeterCycle cycle) {
        EnergyDivision.divide(cycle, segments, remainders.get(Remainder.OUTSIDE));
        while (!segments.isEmpty() && segments.peek().endNanos <= cycle.endNanos) {
            segments.remove();
        }
    }
}

package wattline.monitor.service;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * CPU time of threads that have ended, by group: threads whose names differ by digits alone. What
 * all of them used is exact. Its parts by group are in proportion to what Flight Recorder reports
 * of each thread that ends and, for threads below its threshold of a millisecond, to their
 * samples. A group never gets time for another group's samples.
 */
final class EndedThreads {
    /** Numbers from here on are groups; no thread has one. */
    static final long FIRST = 1L << 62;
    /** Later groups count as unknown. */
    private static final int MOST = 200;
    private static final String SUFFIX = " (ended)";

    private final Map<String, Group> groups = new HashMap<>();
    private final List<Group> all = new ArrayList<>();

    /** Threads of one kind: what they used up to now, and what was seen of them of late. */
    static final class Group {
        final long number;
        final String kin;
        private long nanos;
        private double reported;
        private double sampled;

        private Group(long number, String kin) {
            this.number = number;
            this.kin = kin;
        }

        private double weight() {
            return Math.max(reported, sampled);
        }
    }

    /** Takes the CPU time of groups. */
    interface Share {
        /** Whether the group's time can be shared among methods. */
        boolean accepts(Group group);

        void give(Group group, long nanos);
    }

    /** Of a thread that has ended, what it used since it was looked at last. */
    void reported(String kin, double nanos) {
        Group group = group(kin);
        if (group != null) {
            group.reported += nanos;
        }
    }

    /** CPU time for which samples of an ended thread stand. */
    void sampled(String kin, double nanos) {
        Group group = nanos > 0 ? group(kin) : null;
        if (group != null) {
            group.sampled += nanos;
        }
    }

    private Group group(String kin) {
        Group known = groups.get(kin);
        if (known == null && all.size() < MOST) {
            known = new Group(FIRST + all.size(), kin);
            groups.put(kin, known);
            all.add(known);
        }
        return known;
    }

    /** Gives each group its part of what ended threads used; what was seen longer ago counts less. */
    void share(long nanos, Share to) {
        double whole = all.stream().mapToDouble(Group::weight).sum();
        for (Group group : all) {
            long part = whole > 0 ? (long) (nanos * (group.weight() / whole)) : 0;
            if (part > 0 && to.accepts(group)) {
                group.nanos += part;
                to.give(group, part);
            }
            group.reported /= 2;
            group.sampled /= 2;
        }
    }

    /** `thread NUMBER NANOS NAME` of each group; gives what of the whole belongs to no group. */
    long tell(long nanos, StringBuilder to) {
        long rest = nanos;
        for (Group group : all) {
            rest -= group.nanos;
            if (group.nanos > 0) {
                to.append("thread ").append(group.number).append(' ').append(group.nanos).append(' ')
                        .append(group.kin.replace('\n', ' ')).append(SUFFIX).append('\n');
            }
        }
        return rest;
    }
}

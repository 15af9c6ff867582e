package wattline.monitor.probe;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What one thread has done: per method its exclusive time, calls, waits and bytes. Only
 * the thread itself writes it; the service reads it while it changes, and may see a value
 * a moment late. Fences at every call would cost more than all the rest.
 */
public final class ThreadRecord {
    /** All records; the service drops those of ended threads. */
    public static final Queue<ThreadRecord> ALL = new ConcurrentLinkedQueue<>();
    /** Socket calls of one thread from one look at its stack to the next. */
    private static final int CALLS_PER_LOOK = 64;
    /** Reading a thread's CPU time takes about half a microsecond. */
    private static final long LONG_NANOS = 100_000;
    /** A check is near if it is no more than this, two windows, before the time in question. */
    private static final long NEAR_NANOS = 4_000_000;
    private static final int BATCHES = 200;
    private static final int BATCH = 200;

    /** Null until probes are to be woven. */
    private static ThreadMXBean threads;

    /** What a probe itself takes between two readings of the clock: no method's time. */
    private static long probeNanos;

    /** Its number. */
    public final long id;
    /** The thread, as long as somebody else knows it. */
    public final WeakReference<Thread> thread;
    /** Exclusive nanoseconds per method. */
    public long[] time = new long[256];
    /** Calls per method. */
    public long[] calls = new long[256];
    /** Calls of methods that are counted in windows alone. */
    public long[] callsInWindows = new long[256];
    /** Nanoseconds per method in calls that wait. */
    public long[] waited = new long[256];
    /** Bytes read and written per method: two entries each. */
    public long[] bytes = new long[512];
    /** Bytes read and written outside of all methods. */
    public long outsideIn;
    public long outsideOut;

    /** Calls in virtual threads, of which there are too many for a record each. Their processor
     * time is their carriers', and samples share it. */
    public static final ThreadRecord VIRTUAL = new ThreadRecord(null);
    private static final AtomicLongArray VIRTUAL_CALLS = new AtomicLongArray(Live.LIMIT + 1);
    private static final AtomicLongArray VIRTUAL_CALLS_IN_WINDOWS = new AtomicLongArray(Live.LIMIT + 1);

    /** When its CPU time was read last, waits since then apart, and what it was. */
    private long checkedReal;
    private long checkedUsed;

    private int[] stack = new int[64];
    private int depth;
    private long last;
    private boolean waiting;
    private int socketCalls;

    private ThreadRecord(Thread thread) {
        this.id = thread == null ? 0 : thread.getId();
        this.thread = new WeakReference<>(thread);
    }

    /** Makes ready for probes; here, as it must not happen within one. */
    public static void prepare() {
        ThreadMXBean all = ManagementFactory.getThreadMXBean();
        threads = all.isCurrentThreadCpuTimeSupported() && all.isThreadCpuTimeEnabled() ? all : null;
    }

    /**
     * Finds out what a probe takes, on a record that is nobody's: the shortest mean of some
     * batches, as the first ones are not compiled yet. The clock must go. The compiler sees
     * both sides of each branch here, so that it need not compile all methods anew when some
     * are counted in windows alone.
     */
    static void calibrate() {
        ThreadRecord record = new ThreadRecord(Thread.currentThread());
        probeNanos = 0;
        long least = Long.MAX_VALUE;
        for (int batch = 0; batch < BATCHES; batch++) {
            long begin = Clock.now();
            for (int i = 0; i < BATCH; i++) {
                record.exit(record.enter(i % 2 * Live.NOBODY));
            }
            least = Math.min(least, (Clock.now() - begin) / (2 * BATCH));
            for (int i = 0; i < BATCH; i++) {
                Probe.end(Probe.begin(Live.NOBODY));
            }
        }
        probeNanos = least;
    }

    /** The record of a thread, among all others: a new one if it has none. */
    public static synchronized ThreadRecord of(Thread thread) {
        for (ThreadRecord known : ALL) {
            if (known.thread.get() == thread) {
                return known;
            }
        }
        ThreadRecord record = new ThreadRecord(thread);
        ALL.add(record);
        return record;
    }

    /** Whether it is for all virtual threads. */
    public boolean isVirtual() {
        return this == VIRTUAL;
    }

    /** Counts a call in a virtual thread: it has no frame. */
    static int count(int method) {
        (Live.IN_WINDOWS[method] ? VIRTUAL_CALLS_IN_WINDOWS : VIRTUAL_CALLS).getAndIncrement(method);
        return 0;
    }

    /** Takes over what was counted in virtual threads; the reader's thread asks. */
    public void update() {
        for (int method = 0; this == VIRTUAL && method <= Live.LIMIT; method++) {
            long all = VIRTUAL_CALLS.get(method);
            long inWindows = VIRTUAL_CALLS_IN_WINDOWS.get(method);
            if (all + inWindows > 0) {
                if (method >= calls.length) {
                    grow(method);
                }
                calls[method] = all;
                callsInWindows[method] = inWindows;
            }
        }
    }

    /** A method begins; gives its frame, from 1. */
    int enter(int method) {
        long now = Clock.now();
        int top = depth;
        if (now != last || waiting) {
            if (top > 0) {
                charge(stack[top - 1], now);
            }
            last = now;
        }
        if (top == stack.length) {
            stack = Arrays.copyOf(stack, 2 * top);
        }
        if (method >= calls.length) {
            grow(method);
        }
        stack[top] = method;
        if (Live.IN_WINDOWS[method]) {
            callsInWindows[method]++;
        } else {
            calls[method]++;
        }
        depth = top + 1;
        return top + 1;
    }

    /** A frame ends, and with it those above, which an error in a probe has left. */
    void exit(int frame) {
        int top = depth;
        if (frame > top) {
            return;
        }
        long now = Clock.now();
        // between two windows the clock stands still
        if (now != last || waiting) {
            charge(stack[top - 1], now);
            last = now;
        }
        depth = frame - 1;
    }

    /** A call that waits begins. */
    public void pause() {
        if (depth > 0) {
            long now = Clock.now();
            charge(stack[depth - 1], now);
            last = now;
            waiting = true;
        }
    }

    /** It ends. */
    public void resume() {
        if (depth > 0) {
            long now = Clock.now();
            charge(stack[depth - 1], now);
            last = now;
        }
    }

    /** The end of a wait, if there is one. */
    void awake() {
        if (waiting) {
            resume();
        }
    }

    private void charge(int method, long now) {
        // a window's end may be a moment before what was read while it closed
        long passed = Math.max(0, now - last - probeNanos);
        if (waiting) {
            waiting = false;
            waited[method] += passed;
            // this wait is known: the next check is about the rest
            checkedReal += passed;
        } else {
            time[method] += passed > LONG_NANOS ? onProcessor(passed) : passed;
        }
    }

    /**
     * What of a long time without a probe the thread was on a processor. Another thread may
     * have been in its place, or it waited where nobody sees it; the thread's CPU time
     * since the last check tells: at the window's begin, or within it. Short times are not
     * asked for: reading it takes longer.
     */
    private long onProcessor(long passed) {
        if (threads == null) {
            return passed;
        }
        long real = checkedReal;
        long used = checkedUsed;
        check();
        return onProcessor(passed, real, checkedReal - real, checkedUsed - used);
    }

    /** The same, where so much real time and CPU time have passed since the last check. */
    private static long onProcessor(long passed, long checked, double all, double part) {
        if (checked == 0 || all <= 0) {
            return passed;
        }
        if (all >= passed && all <= passed + NEAR_NANOS) {
            return Math.round(Math.max(0, Math.min(passed, passed - (all - part))));
        }
        // it began windows ago, or the check was long before it: on the average since then
        return Math.round(passed * Math.min(1, part / all));
    }

    /** A window opens: what all threads have used by then. */
    static void checkAll() {
        if (threads == null) {
            return;
        }
        for (ThreadRecord record : ALL) {
            long used = threads.getThreadCpuTime(record.id);
            if (used >= 0) {
                record.checkedReal = System.nanoTime();
                record.checkedUsed = used;
            }
        }
    }

    private void check() {
        checkedReal = System.nanoTime();
        checkedUsed = threads.getCurrentThreadCpuTime();
    }

    void bytes(long in, long out) {
        if (this == VIRTUAL) {
            synchronized (this) {
                outsideIn += in;
                outsideOut += out;
            }
            return;
        }
        Probe.ByteSampler sampler = Probe.byteSampler;
        if (sampler != null) {
            outsideIn += in;
            outsideOut += out;
            if (socketCalls++ % CALLS_PER_LOOK == 0) {
                book(sampler);
            }
        } else if (depth > 0) {
            bytes(stack[depth - 1], in, out);
        } else {
            outsideIn += in;
            outsideOut += out;
        }
    }

    /** The application's call goes on, whatever a look at its stack meets. */
    private void book(Probe.ByteSampler sampler) {
        try {
            sampler.book(this);
        } catch (Throwable lost) {
            // these bytes stay outside of all methods
        }
    }

    /** Adds bytes to a method. */
    public void bytes(int method, long in, long out) {
        if (method >= calls.length) {
            grow(method);
        }
        bytes[2 * method] += in;
        bytes[2 * method + 1] += out;
    }

    private synchronized void grow(int method) {
        int length = Math.max(method + 1, 2 * calls.length);
        time = Arrays.copyOf(time, length);
        waited = Arrays.copyOf(waited, length);
        bytes = Arrays.copyOf(bytes, 2 * length);
        callsInWindows = Arrays.copyOf(callsInWindows, length);
        calls = Arrays.copyOf(calls, length);
    }

    /** The method that runs, or -1. */
    public int running() {
        int top = depth;
        int[] frames = stack;
        return top > 0 && top <= frames.length ? frames[top - 1] : -1;
    }

    /** Whether it waits. */
    public boolean isWaiting() {
        return waiting;
    }

    /** What the running method has used since it was last charged; another thread asks. */
    public long running(long now) {
        long passed = Math.max(0, now - last);
        if (threads == null || passed <= LONG_NANOS) {
            return passed;
        }
        long real = checkedReal;
        long used = checkedUsed;
        return onProcessor(passed, real, System.nanoTime() - real, threads.getThreadCpuTime(id) - used);
    }
}

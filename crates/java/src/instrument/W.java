// The run-time side of wattline's probes: one counter per basic block and thread.
// Plain Java for JVM 8 and Android 4 (API 14) and later, without dependencies.
// Writes wattline-counts-N.csv once a second and at exit, into the working directory
// or the folder named by the property wattline.out or the variable WATTLINE_OUT; at exit
// wattline-counts-N.final after it, which is empty. N is the lowest number from 1 on that is
// free: other processes, and other class loaders that have loaded these classes, write files
// of their own. With snapshots, wattline-counts-N.windows has a line every 250 ms: the
// board's clock, executed probes, and what blocks ran since.
// With the property wattline.limit, more executions than that end the program with code 99 and
// a line on standard error.
package @PACKAGE@;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

public final class W {
    private static final int BLOCKS = @BLOCKS@;
    static final boolean LOG = @LOG@;
    static final boolean WINDOWS = @WINDOWS@;
    static final long PERIOD_MS = 1000;

    static final Object LOCK = new Object();
    static final File FOLDER = folder();
    /** The first thread to come here needs no look-up. */
    private static final Thread OWNER = Thread.currentThread();
    static final Bank OWN = new Bank(OWNER, 0);
    private static final long[] MINE = OWN.counts;
    /** Counts of threads that have ended; guarded by LOCK. */
    static final long[] ENDED = new long[BLOCKS];
    /** Exceptions that left blocks of watched loops; guarded by LOCK. */
    static final long[] THROWN = new long[BLOCKS];
    /** All other threads' banks: open addressing by identity, copied on change. */
    static volatile Bank[] banks = new Bank[8];
    private static int threads = 1;
    /** The bank that was looked up often of late; a race costs a look-up, no more. */
    private static Bank recent = OWN;

    static {
        try {
            Thread timer = new Thread(null, new Flush(true), "wattline");
            timer.setDaemon(true);
            timer.start();
            if (WINDOWS) {
                Flush.await(timer);
            }
            Runtime.getRuntime().addShutdownHook(new Thread(null, new Flush(false), "wattline-exit"));
        } catch (IllegalStateException e) {
            // The virtual machine is on its way down: the timer may still write.
        } catch (Throwable e) {
            // No more threads, or hooks are forbidden: the application goes on.
            Flush.complain(e);
        }
    }

    private W() {
    }

    /** One execution of block id. */
    public static void c(int id) {
        Thread thread = Thread.currentThread();
        if (!LOG && thread == OWNER) {
            MINE[id]++;
            return;
        }
        Bank bank = thread == OWNER ? OWN : bank(thread);
        // The call first: if the stack overflows in it, neither has happened.
        if (LOG) {
            bank.log(id);
        }
        bank.counts[id]++;
    }

    /** The counters of this thread, for a loop that counts in them itself. */
    public static long[] a() {
        Thread thread = Thread.currentThread();
        return thread == OWNER ? MINE : bank(thread).counts;
    }

    /** An exception leaves block id, and the loop that is watched for it. */
    public static void x(int id) {
        if (id >= 0) {
            synchronized (LOCK) {
                THROWN[id]++;
            }
        }
    }

@VALUES@
    /** Writes all counts, for a system that ends its processes without a word. */
    public static void end() {
        new Flush(false).run();
    }

    private static Bank bank(Thread thread) {
        Bank last = recent;
        return last.thread == thread ? last : lookUp(thread);
    }

    private static Bank lookUp(Thread thread) {
        Bank[] table = banks;
        int mask = table.length - 1;
        for (int i = System.identityHashCode(thread) & mask;; i = (i + 1) & mask) {
            Bank bank = table[i];
            if (bank == null) {
                return newBank(thread);
            }
            if (bank.thread == thread) {
                // Often enough to follow the busiest thread, too seldom for threads that
                // take turns to hinder each other.
                if ((++bank.misses & 1023) == 0) {
                    recent = bank;
                }
                return bank;
            }
        }
    }

    /** Adds a bank for thread; banks of threads that have ended are summed up. */
    private static Bank newBank(Thread thread) {
        synchronized (LOCK) {
            Bank[] old = banks;
            int alive = 1;
            for (int i = 0; i < old.length; i++) {
                if (old[i] != null && old[i].thread.getState() != Thread.State.TERMINATED) {
                    alive++;
                }
            }
            int size = 8;
            while (size < 4 * alive) {
                size *= 2;
            }
            Bank[] table = new Bank[size];
            for (int i = 0; i < old.length; i++) {
                if (old[i] == null) {
                    continue;
                }
                // A thread that ends just now may be kept, never lost: alive is an upper bound.
                if (old[i].thread.getState() == Thread.State.TERMINATED) {
                    add(ENDED, old[i].counts);
                    old[i].close();
                } else {
                    put(table, old[i]);
                }
            }
            Bank bank = new Bank(thread, threads++);
            put(table, bank);
            banks = table;
            return bank;
        }
    }

    private static void put(Bank[] table, Bank bank) {
        int mask = table.length - 1;
        int i = System.identityHashCode(bank.thread) & mask;
        while (table[i] != null) {
            i = (i + 1) & mask;
        }
        table[i] = bank;
    }

    private static void add(long[] to, long[] from) {
        for (int i = 0; i < to.length; i++) {
            to[i] += from[i];
        }
    }

    private static File folder() {
        String name = null;
        try {
            name = System.getProperty("wattline.out");
            if (name == null) {
                name = System.getenv("WATTLINE_OUT");
            }
        } catch (SecurityException e) {
            name = null;
        }
        return new File(name == null ? "." : name);
    }

    /**
     * The housekeeping: sums up the counts, writes them, and ends a run that does too much.
     *
     * All of it is in this class, and nothing else is: a device that accounts for the
     * application's work by its code can leave this class out.
     */
    private static final class Flush implements Runnable {
        private static final long LIMIT = limit();
        /** With a limit, milliseconds between two looks at the counts. */
        private static final long LOOK_MS = 5;
        /**
         * Milliseconds between two looks at the logs: what is in one survives the next but one.
         * And between two snapshots: the meters that they go with refresh every 264 ms.
         */
        private static final long LOG_MS = 250;
        private static final int TOO_MUCH = 99;
        /** Blocks that have no counter, each with those that it is the sum of. */
        private static final String[] SUMS = {
            @SUMS@
        };

        private static long written = -1;
        private static boolean complained;
        /** Counts at the last snapshot, its executed probes, and the file; of the timer alone. */
        private static long[] shot;
        private static long shotProbes;
        private static OutputStream shots;

        private final boolean forever;

        Flush(boolean forever) {
            this.forever = forever;
        }

        @Override
        public void run() {
            long sinceMs = 0;
            long periodMs = LIMIT < Long.MAX_VALUE ? LOOK_MS : LOG || WINDOWS ? LOG_MS : PERIOD_MS;
            while (forever) {
                try {
                    rest(periodMs);
                } catch (InterruptedException e) {
                    return;
                }
                sinceMs += periodMs;
                if (LIMIT < Long.MAX_VALUE && sum(total()) > LIMIT) {
                    System.err.println("wattline: more executions than " + LIMIT);
                    Runtime.getRuntime().halt(TOO_MUCH);
                }
                if (LOG && sinceMs % LOG_MS == 0) {
                    drain();
                }
                if (WINDOWS && sinceMs % LOG_MS == 0) {
                    snapshot();
                }
                if (sinceMs >= PERIOD_MS) {
                    sinceMs = 0;
                    flush();
                }
            }
            flush();
            finish();
        }

        /**
         * Until the next look. Where a program that never ends is to be ended, that must come also
         * on a board whose clock stands while it computes: there sleeps are the board's, waits not.
         */
        private void rest(long periodMs) throws InterruptedException {
            if (LIMIT == Long.MAX_VALUE) {
                Thread.sleep(periodMs);
                return;
            }
            synchronized (this) {
                wait(periodMs);
            }
        }

        /** Waits, for a second at most, until the timer sleeps: its periods begin now. */
        static void await(Thread timer) {
            try {
                for (int i = 0; i < 1000 && timer.getState() != Thread.State.TIMED_WAITING; i++) {
                    timer.join(1);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /**
         * Appends what ran since the last snapshot: nanoseconds of the clock (that of
         * /proc/uptime where the board never slept), executed probes, and a block and its
         * executions for each block that ran.
         */
        private static void snapshot() {
            long now = System.nanoTime();
            long[] total = counted();
            long probes = sum(total);
            derive(total);
            boolean first = shot == null;
            StringBuilder line = new StringBuilder(first ? "# wattline-windows 1\n" : "");
            line.append(now).append(' ').append(probes - shotProbes);
            for (int i = 0; i < total.length; i++) {
                total[i] = first ? total[i] : Math.max(total[i], shot[i]);
                long ran = first ? total[i] : total[i] - shot[i];
                if (ran != 0) {
                    line.append(' ').append(i).append(' ').append(ran);
                }
            }
            shot = total;
            shotProbes = probes;
            try {
                if (shots == null) {
                    shots = new FileOutputStream(own("counts-", ".windows"));
                }
                shots.write(line.append('\n').toString().getBytes("UTF-8"));
            } catch (Exception e) {
                complain(e);
            }
        }

        /** Says that the counts are whole: a process that was killed left some of them. */
        private void finish() {
            try {
                if (number > 0) {
                    own("counts-", ".final").createNewFile();
                }
            } catch (Exception e) {
                complain(e);
            }
        }

        /** The most executions of blocks, for dry runs: the property wattline.limit. */
        private static long limit() {
            try {
                return Long.getLong("wattline.limit", Long.MAX_VALUE);
            } catch (SecurityException e) {
                return Long.MAX_VALUE;
            }
        }

        /** Writes all counts so far; blocks that never ran are left out. */
        private void flush() {
            synchronized (LOCK) {
                long[] total = total();
                if (LOG && !forever) {
                    drain();
                }
                long sum = sum(total);
                if (sum == written) {
                    return;
                }
                try {
                    write(total);
                    written = sum;
                } catch (Exception e) {
                    complain(e);
                }
            }
        }

        /** The counts of all threads, those that have ended included. */
        private static long[] total() {
            long[] total = counted();
            derive(total);
            return total;
        }

        /** The same of blocks with a probe. */
        private static long[] counted() {
            synchronized (LOCK) {
                long[] total = ENDED.clone();
                sumUp(total, OWN.counts);
                Bank[] table = banks;
                for (int i = 0; i < table.length; i++) {
                    if (table[i] != null) {
                        sumUp(total, table[i].counts);
                    }
                }
                return total;
            }
        }

        private static void derive(long[] total) {
            synchronized (LOCK) {
                for (int i = 0; i < SUMS.length; i++) {
                    derive(total, SUMS[i]);
                }
            }
        }

        private static void sumUp(long[] to, long[] from) {
            for (int i = 0; i < to.length; i++) {
                to[i] += from[i];
            }
        }

        /**
         * Adds up blocks that follow from others: "63 62 64,75 74 -76 x74". What a thread
         * does meanwhile may make a difference of a few executions, but never a sum below zero.
         */
        private static void derive(long[] total, String sums) {
            int number = 0;
            int block = -1;
            boolean minus = false;
            boolean thrown = false;
            for (int i = 0; i <= sums.length(); i++) {
                char c = i < sums.length() ? sums.charAt(i) : ',';
                if (c >= '0' && c <= '9') {
                    number = 10 * number + c - '0';
                } else if (c == '-') {
                    minus = true;
                } else if (c == 'x') {
                    thrown = true;
                } else {
                    if (block < 0) {
                        block = number;
                    } else {
                        long part = thrown ? THROWN[number] : total[number];
                        total[block] += minus ? -part : part;
                    }
                    if (c == ',' && i > 0) {
                        total[block] = Math.max(0, total[block]);
                        block = -1;
                    }
                    number = 0;
                    minus = false;
                    thrown = false;
                }
            }
        }

        private static long sum(long[] counts) {
            long sum = 0;
            for (int i = 0; i < counts.length; i++) {
                sum += counts[i];
            }
            return sum;
        }

        private void drain() {
            drain(OWN);
            Bank[] table = banks;
            for (int i = 0; i < table.length; i++) {
                if (table[i] != null) {
                    drain(table[i]);
                }
            }
        }

        private void drain(Bank bank) {
            if (forever) {
                bank.drain();
            } else {
                bank.drainAll();
            }
        }

        private static void write(long[] total) throws IOException {
            StringBuilder text = new StringBuilder("block,executions\n");
            for (int i = 0; i < total.length; i++) {
                if (total[i] != 0) {
                    text.append(i).append(',').append(total[i]).append('\n');
                }
            }
            File file = own("counts-", ".csv");
            File part = own("counts-", ".csv.part");
            OutputStream out = new FileOutputStream(part);
            try {
                out.write(text.toString().getBytes("UTF-8"));
            } finally {
                out.close();
            }
            if (!part.renameTo(file) && !(file.delete() && part.renameTo(file))) {
                throw new IOException("can't replace " + file);
            }
        }

@OWN@
        static void complain(Throwable e) {
            if (!complained) {
                complained = true;
                System.err.println("wattline: counts can't be written: " + e.getMessage());
            }
        }
    }

    /** What one thread has counted, and in a log build its stream of block ids. */
    private static final class Bank {
        final Thread thread;
        final int number;
        final long[] counts = new long[BLOCKS];
        /** Look-ups by its thread. */
        int misses;
        private final byte[] buffer = new byte[LOG ? 32768 : 0];
        /** Bytes in the buffer. Only the thread itself changes it. */
        private int used;
        /** Bytes of the buffer that are in the file; guarded by this. */
        private int written;
        /** Bytes that were in the buffer when the timer last looked; guarded by this. */
        private int seen;
        private OutputStream out;

        Bank(Thread thread, int number) {
            this.thread = thread;
            this.number = number;
        }

        /** Appends id as a LEB128 number: seven bits a byte, low bits first. */
        void log(int id) {
            int at = used;
            if (at > buffer.length - 5) {
                at = empty();
            }
            byte[] bytes = buffer;
            if (id >= 128) {
                bytes[at++] = (byte) (id | 128);
                if (id >= 16384) {
                    bytes[at++] = (byte) (id >>> 7 | 128);
                    if (id >= 2097152) {
                        bytes[at++] = (byte) (id >>> 14 | 128);
                        bytes[at++] = (byte) (id >>> 21);
                    } else {
                        bytes[at++] = (byte) (id >>> 14);
                    }
                } else {
                    bytes[at++] = (byte) (id >>> 7);
                }
            } else {
                bytes[at++] = (byte) id;
            }
            used = at;
        }

        /** By the thread itself: writes the rest of the buffer, and begins it anew. */
        private synchronized int empty() {
            write(used);
            written = 0;
            seen = 0;
            used = 0;
            return 0;
        }

        /**
         * By another thread: writes what was there when this was last called. What has been
         * appended since may not be visible in full.
         */
        synchronized void drain() {
            write(seen);
            seen = used;
        }

        /** At the end of the thread or of the program: writes all. */
        synchronized void drainAll() {
            write(used);
        }

        private void write(int end) {
            if (end <= written) {
                return;
            }
            try {
                if (out == null) {
                    out = new FileOutputStream(Flush.own("log-", "-" + number + ".bin"));
                }
                out.write(buffer, written, end - written);
            } catch (Exception e) {
                Flush.complain(e);
            }
            written = end;
        }

        synchronized void close() {
            drainAll();
            if (out != null) {
                try {
                    out.close();
                } catch (Exception e) {
                    Flush.complain(e);
                }
            }
        }
    }
}

// The run-time side of wattline's probes: one counter per basic block and thread.
// Plain Java for JVM 8 and Android 4 (API 14) and later, without dependencies.
// Writes wattline-counts.csv once a second and at exit, into the working directory
// or the folder named by the property wattline.out or the variable WATTLINE_OUT.
package @PACKAGE@;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

public final class W {
    private static final int BLOCKS = @BLOCKS@;
    private static final boolean LOG = @LOG@;
    private static final long PERIOD_MS = 1000;

    private static final Object LOCK = new Object();
    private static final File FOLDER = folder();
    /** The first thread to come here needs no look-up. */
    private static final Thread OWNER = Thread.currentThread();
    private static final Bank OWN = new Bank(OWNER, 0);
    private static final long[] MINE = OWN.counts;
    /** Counts of threads that have ended; guarded by LOCK. */
    private static final long[] ENDED = new long[BLOCKS];
    /** All other threads' banks: open addressing by identity, copied on change. */
    private static volatile Bank[] banks = new Bank[8];
    private static int threads = 1;
    private static long written = -1;
    private static boolean complained;

    static {
        Thread timer = new Thread(null, new Flush(true), "wattline");
        timer.setDaemon(true);
        timer.start();
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(null, new Flush(false), "wattline-exit"));
        } catch (IllegalStateException e) {
            // The virtual machine is on its way down: the timer may still write.
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
        bank.counts[id]++;
        if (LOG) {
            bank.log(id);
        }
    }

    /** One execution of block id; true, to stand before a condition. */
    public static boolean t(int id) {
        c(id);
        return true;
    }

    /** One execution of block id; false, to stand before a condition. */
    public static boolean f(int id) {
        c(id);
        return false;
    }

    /** One execution of block yes or no, as the condition says. */
    public static boolean b(int yes, int no, boolean condition) {
        c(condition ? yes : no);
        return condition;
    }

    /** One execution of block id; the value as it is, in its own type. */
    public static <T> T v(int id, T value) {
        c(id);
        return value;
    }

    public static boolean v(int id, boolean value) {
        c(id);
        return value;
    }

    public static byte v(int id, byte value) {
        c(id);
        return value;
    }

    public static short v(int id, short value) {
        c(id);
        return value;
    }

    public static char v(int id, char value) {
        c(id);
        return value;
    }

    public static int v(int id, int value) {
        c(id);
        return value;
    }

    public static long v(int id, long value) {
        c(id);
        return value;
    }

    public static float v(int id, float value) {
        c(id);
        return value;
    }

    public static double v(int id, double value) {
        c(id);
        return value;
    }

    private static Bank bank(Thread thread) {
        Bank[] table = banks;
        int mask = table.length - 1;
        for (int i = System.identityHashCode(thread) & mask;; i = (i + 1) & mask) {
            Bank bank = table[i];
            if (bank == null) {
                return newBank(thread);
            }
            if (bank.thread == thread) {
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

    /** Writes all counts so far; blocks that never ran are left out. */
    static void flush() {
        synchronized (LOCK) {
            long[] total = ENDED.clone();
            add(total, OWN.counts);
            OWN.drain();
            Bank[] table = banks;
            for (int i = 0; i < table.length; i++) {
                if (table[i] != null) {
                    add(total, table[i].counts);
                    table[i].drain();
                }
            }
            long sum = 0;
            for (int i = 0; i < total.length; i++) {
                sum += total[i];
            }
            if (sum == written) {
                return;
            }
            try {
                write(total);
                written = sum;
            } catch (IOException e) {
                complain(e);
            }
        }
    }

    private static void write(long[] total) throws IOException {
        StringBuilder text = new StringBuilder("block,executions\n");
        for (int i = 0; i < total.length; i++) {
            if (total[i] != 0) {
                text.append(i).append(',').append(total[i]).append('\n');
            }
        }
        File file = new File(FOLDER, "wattline-counts.csv");
        File part = new File(FOLDER, "wattline-counts.csv.part");
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

    private static void complain(IOException e) {
        if (!complained) {
            complained = true;
            System.err.println("wattline: counts can't be written: " + e.getMessage());
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

    private static final class Flush implements Runnable {
        private final boolean forever;

        Flush(boolean forever) {
            this.forever = forever;
        }

        @Override
        public void run() {
            while (forever) {
                try {
                    Thread.sleep(PERIOD_MS);
                } catch (InterruptedException e) {
                    return;
                }
                flush();
            }
            flush();
        }
    }

    /** What one thread has counted, and in a log build its stream of block ids. */
    private static final class Bank {
        final Thread thread;
        final int number;
        final long[] counts = new long[BLOCKS];
        private final byte[] buffer = new byte[LOG ? 8192 : 0];
        private int used;
        private OutputStream out;

        Bank(Thread thread, int number) {
            this.thread = thread;
            this.number = number;
        }

        /** Appends id as a LEB128 number: seven bits a byte, low bits first. */
        synchronized void log(int id) {
            if (used + 5 > buffer.length) {
                drain();
            }
            int rest = id;
            while (rest > 127) {
                buffer[used++] = (byte) (rest & 127 | 128);
                rest >>>= 7;
            }
            buffer[used++] = (byte) rest;
        }

        synchronized void drain() {
            if (used == 0) {
                return;
            }
            try {
                if (out == null) {
                    File file = new File(FOLDER, "wattline-log-" + number + ".bin");
                    out = new BufferedOutputStream(new FileOutputStream(file), 65536);
                }
                out.write(buffer, 0, used);
                out.flush();
            } catch (IOException e) {
                complain(e);
            }
            used = 0;
        }

        synchronized void close() {
            drain();
            if (out != null) {
                try {
                    out.close();
                } catch (IOException e) {
                    complain(e);
                }
            }
        }
    }
}

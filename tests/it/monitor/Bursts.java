import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads whose methods measure their own CPU time: `brief` ones, which end after 5 to 15 ms of
 * it; `ending` ones, which end after 300 ms; one that waits after each few milliseconds in one of
 * three ways (`waits`); and one that never does (`long`). The arguments are SECONDS of CPU time,
 * after which it ends, and one or more of these names.
 */
public final class Bursts {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final String[] NAMES = {
        "opens", "closes", "whole", "begins", "beforeSleep", "beforePark", "beforeWait", "most", "some",
    };
    private static final int WAIT_MILLIS = 4;
    private static final AtomicLongArray USED = new AtomicLongArray(NAMES.length);
    private static final Object NEVER = new Object();
    private static volatile boolean isOver;

    private Bursts() {
    }

    private static void opens(int micros) {
        Steps.compute(micros);
    }

    private static void closes(int micros) {
        Steps.compute(micros);
    }

    private static void whole(int micros) {
        Steps.compute(micros);
    }

    private static void begins(int micros) {
        Steps.compute(micros);
    }

    private static void beforeSleep(int micros) {
        Steps.compute(micros);
    }

    private static void beforePark(int micros) {
        Steps.compute(micros);
    }

    private static void beforeWait(int micros) {
        Steps.compute(micros);
    }

    private static void most(int micros) {
        Steps.compute(micros);
    }

    private static void some(int micros) {
        Steps.compute(micros);
    }

    /** Adds the thread's CPU time since a moment to a method's; gives it up to now. */
    private static long charge(int method, long begin) {
        long now = THREADS.getCurrentThreadCpuTime();
        USED.addAndGet(method, now - begin);
        return now;
    }

    private static void brief(int micros) {
        long now = THREADS.getCurrentThreadCpuTime();
        opens(micros * 2 / 3);
        now = charge(0, now);
        closes(micros / 3);
        charge(1, now);
    }

    private static void ending() {
        long now = THREADS.getCurrentThreadCpuTime();
        whole(300_000);
        charge(2, now);
    }

    /** One after the other. */
    private static void starts(String name) {
        Random random = new Random(1);
        while (!isOver) {
            int micros = 5_000 + random.nextInt(10_000);
            Runnable work = name.equals("brief") ? () -> brief(micros) : Bursts::ending;
            Thread thread = new Thread(work, name);
            thread.start();
            try {
                thread.join();
            } catch (InterruptedException over) {
                return;
            }
        }
    }

    private static void waits() {
        Random random = new Random(2);
        try {
            for (int round = 0; !isOver; round++) {
                long now = THREADS.getCurrentThreadCpuTime();
                begins(1_000 + random.nextInt(3_000));
                now = charge(3, now);
                int micros = 1_000 + random.nextInt(5_000);
                if (round % 3 == 0) {
                    beforeSleep(micros);
                    charge(4, now);
                    Thread.sleep(WAIT_MILLIS);
                } else if (round % 3 == 1) {
                    beforePark(micros);
                    charge(5, now);
                    LockSupport.parkNanos(WAIT_MILLIS * 1_000_000L);
                } else {
                    beforeWait(micros);
                    charge(6, now);
                    synchronized (NEVER) {
                        NEVER.wait(WAIT_MILLIS);
                    }
                }
            }
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    private static void longs() {
        while (!isOver) {
            long now = THREADS.getCurrentThreadCpuTime();
            most(3_000);
            now = charge(7, now);
            some(1_000);
            charge(8, now);
        }
    }

    private static Runnable work(String name) {
        switch (name) {
            case "waits":
                return Bursts::waits;
            case "long":
                return Bursts::longs;
            default:
                return () -> starts(name);
        }
    }

    private static double all() {
        double all = 0;
        for (int i = 0; i < NAMES.length; i++) {
            all += USED.get(i);
        }
        return all;
    }

    public static void main(String[] arguments) throws InterruptedException {
        double seconds = Double.parseDouble(arguments[0]);
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i < arguments.length; i++) {
            threads.add(new Thread(work(arguments[i]), "runs " + arguments[i]));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        while (all() < seconds * 1e9) {
            Thread.sleep(20);
        }
        isOver = true;
        for (Thread thread : threads) {
            thread.join();
        }
        for (int i = 0; i < NAMES.length; i++) {
            if (USED.get(i) > 0) {
                System.out.println("share " + NAMES[i] + " " + USED.get(i) / all());
            }
        }
        System.out.println("used " + all() / 1e9);
    }

    /** What all of them do, which the tests leave out of the measured classes. */
    private static final class Steps {
        private static volatile long sink = 1;

        private static void compute(int micros) {
            long end = THREADS.getCurrentThreadCpuTime() + micros * 1_000L;
            while (THREADS.getCurrentThreadCpuTime() < end) {
                long x = sink;
                for (int i = 0; i < 10_000; i++) {
                    x ^= x << 13;
                    x ^= x >>> 7;
                    x ^= x << 17;
                }
                sink = x | 1;
            }
        }
    }
}

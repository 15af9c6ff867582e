import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;

/**
 * Runs a program's `run` until it is warm, then prints the least thread CPU time of a round in
 * milliseconds, and what it computed. It is compiled apart and never has probes.
 */
public final class Driver {
    public static void main(String[] args) throws Exception {
        Method run = Class.forName(args[0]).getMethod("run");
        int warm = Integer.parseInt(args[1]);
        int rounds = Integer.parseInt(args[2]);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long best = Long.MAX_VALUE;
        Object result = null;
        for (int i = 0; i < warm + rounds; i++) {
            long start = threads.getCurrentThreadCpuTime();
            result = run.invoke(null);
            long time = threads.getCurrentThreadCpuTime() - start;
            if (i >= warm) best = Math.min(best, time);
        }
        System.out.println(best / 1e6 + " " + result);
    }
}

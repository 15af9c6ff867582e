package wattline.microbenchmarks;

/**
 * Runs microbenchmarks for a power meter, or a fixed number of iterations for their counts.
 *
 * <p>Arguments: {@code microbenchmarks=a,b,c} in the order wanted; {@code millis=N}, how long each is to
 * run; {@code gap=N}, the idle milliseconds between two; {@code iterations=N} runs each for exactly
 * N iterations without waiting (for traced runs); {@code warm=N} runs each until the compilers
 * are quiet, N milliseconds at most, before any is measured.
 */
final class MicrobenchmarkMain {
    /** A loop counts in {@code int}: more iterations are several loops. */
    private static final int STRETCH = 1 << 28;

    /** The most iterations of a window: only a loop that compilers left out gets there. */
    private static final long MOST = 1L << 40;

    public static void main(String[] args) throws Exception {
        String[] names = {};
        int millis = 1000;
        int gap = 600;
        int iterations = 0;
        int warm = 0;
        for (String arg : args) {
            String value = arg.substring(arg.indexOf('=') + 1);
            if (arg.startsWith("microbenchmarks=")) {
                names = value.split(",");
            } else if (arg.startsWith("millis=")) {
                millis = Integer.parseInt(value);
            } else if (arg.startsWith("gap=")) {
                gap = Integer.parseInt(value);
            } else if (arg.startsWith("iterations=")) {
                iterations = Integer.parseInt(value);
            } else if (arg.startsWith("warm=")) {
                warm = Integer.parseInt(value);
            }
        }
        System.out.println("wattline: begin");
        if (iterations > 0) {
            for (String name : names) {
                run(name, iterations);
            }
        } else {
            if (warm > 0) {
                for (String name : names) {
                    warmUp(name, warm);
                    System.out.println("wattline: compiled " + name);
                }
            }
            measure(names, millis, gap, warm > 0);
        }
        Thread.sleep(gap);
        System.out.println("wattline: end");
    }

    /** Finds all iterations first: a meter that averages must see nothing but idle in the gaps. */
    private static void measure(String[] names, int millis, int gap, boolean isCompiled)
            throws Exception {
        long[] iterations = new long[names.length];
        for (int i = 0; i < names.length; i++) {
            iterations[i] = enough(names[i], millis, isCompiled);
        }
        for (int i = 0; i < names.length; i++) {
            window(names[i], iterations[i], gap, isCompiled ? gap : 0);
        }
    }

    /** Collections are no part of a window: where threads make them, they wait until it is read. */
    private static void window(String name, long n, int gap, int rest) throws Exception {
        Thread.sleep(rest);
        System.gc();
        Thread.sleep(gap);
        System.out.println("wattline: iterations " + name + " " + n);
        System.out.println("wattline: begin " + name);
        run(name, n);
        System.out.println("wattline: end " + name);
    }

    private static void run(String name, long n) throws Exception {
        for (long left = n; left > 0; left -= STRETCH) {
            MicrobenchmarkList.run(name, (int) Math.min(left, STRETCH));
        }
    }

    /**
     * Runs a microbenchmark in short calls until there were enough for its last compilation, and the
     * compilers had nothing to do for a fifth of a second.
     */
    private static void warmUp(String name, int millis) throws Exception {
        long started = System.nanoTime();
        int n = 16;
        long compiled = compilationMillis();
        long quietSince = started;
        for (int calls = 0; ; calls++) {
            long before = processorNanos();
            MicrobenchmarkList.run(name, n);
            long took = processorNanos() - before;
            long now = System.nanoTime();
            if (took < 100_000 && n < Integer.MAX_VALUE / 4) {
                n *= 2;
            }
            if (calls % 64 == 63) {
                long total = compilationMillis();
                if (total != compiled) {
                    compiled = total;
                    quietSince = now;
                }
                boolean isDone = calls >= 2000 && now - quietSince >= 200_000_000L;
                if (isDone || now - started >= millis * 1_000_000L) {
                    return;
                }
            }
        }
    }

    /** This thread's own time: a machine that does other things, too, has another clock. */
    private static long processorNanos() throws Exception {
        Class<?> factory = Class.forName("java.lang.management.ManagementFactory");
        Object bean = factory.getMethod("getThreadMXBean").invoke(null);
        Class<?> type = Class.forName("java.lang.management.ThreadMXBean");
        return (Long) type.getMethod("getCurrentThreadCpuTime").invoke(bean);
    }

    /** How long the compilers worked; asked by reflection, as Android has no such class. */
    private static long compilationMillis() throws Exception {
        Class<?> factory = Class.forName("java.lang.management.ManagementFactory");
        Object bean = factory.getMethod("getCompilationMXBean").invoke(null);
        if (bean == null) {
            return 0;
        }
        Class<?> type = Class.forName("java.lang.management.CompilationMXBean");
        return (Long) type.getMethod("getTotalCompilationTime").invoke(bean);
    }

    /** Iterations that take about {@code millis}, found by doubling. */
    private static long enough(String name, int millis, boolean isCompiled) throws Exception {
        long wanted = millis * 1_000_000L;
        for (long n = 1000; ; n *= 4) {
            long start = isCompiled ? processorNanos() : System.nanoTime();
            run(name, n);
            long took = (isCompiled ? processorNanos() : System.nanoTime()) - start;
            if (took >= wanted / 40 || n > MOST / 4) {
                double scaled = n * ((double) wanted / Math.max(took, 1));
                return (long) Math.min(MOST, Math.max(n, scaled));
            }
        }
    }
}

package wattline.kernels;

/**
 * Runs micro-kernels for a power meter, or a fixed number of iterations for their counts.
 *
 * <p>Arguments: {@code kernels=a,b,c} in the order wanted; {@code millis=N}, how long each is to
 * run; {@code gap=N}, the idle milliseconds between two; {@code iterations=N} runs each for exactly
 * N iterations without waiting (for traced runs).
 */
final class KernelMain {
    public static void main(String[] args) throws Exception {
        String[] names = {};
        int millis = 1000;
        int gap = 600;
        int iterations = 0;
        for (String arg : args) {
            String value = arg.substring(arg.indexOf('=') + 1);
            if (arg.startsWith("kernels=")) {
                names = value.split(",");
            } else if (arg.startsWith("millis=")) {
                millis = Integer.parseInt(value);
            } else if (arg.startsWith("gap=")) {
                gap = Integer.parseInt(value);
            } else if (arg.startsWith("iterations=")) {
                iterations = Integer.parseInt(value);
            }
        }
        System.out.println("wattline: begin");
        if (iterations > 0) {
            for (String name : names) {
                KernelList.run(name, iterations);
            }
        } else {
            measure(names, millis, gap);
        }
        Thread.sleep(gap);
        System.out.println("wattline: end");
    }

    /** Finds all iterations first: a meter that averages must see nothing but idle in the gaps. */
    private static void measure(String[] names, int millis, int gap) throws Exception {
        int[] iterations = new int[names.length];
        for (int i = 0; i < names.length; i++) {
            iterations[i] = enough(names[i], millis);
        }
        for (int i = 0; i < names.length; i++) {
            window(names[i], iterations[i], gap);
        }
    }

    private static void window(String name, int n, int gap) throws Exception {
        System.gc();
        Thread.sleep(gap);
        System.out.println("wattline: iterations " + name + " " + n);
        System.out.println("wattline: begin " + name);
        KernelList.run(name, n);
        System.out.println("wattline: end " + name);
    }

    /** Iterations that take about {@code millis}, found by doubling. */
    private static int enough(String name, int millis) throws Exception {
        long wanted = millis * 1_000_000L;
        for (int n = 1000; ; n *= 4) {
            long start = System.nanoTime();
            KernelList.run(name, n);
            long took = System.nanoTime() - start;
            if (took >= wanted / 40 || n > Integer.MAX_VALUE / 8) {
                double scaled = n * ((double) wanted / Math.max(took, 1));
                return (int) Math.min(Integer.MAX_VALUE / 2, Math.max(n, scaled));
            }
        }
    }
}

package game;

/** Entry: for so many seconds of CPU time. */
public final class Main {
    public static void main(String[] arguments) {
        java.lang.management.ThreadMXBean threads = java.lang.management.ManagementFactory.getThreadMXBean();
        World world = new World(arguments.length > 1 ? new Ice() : new Sand(), arguments[0].length() + 63);
        long sum = 0;
        while (threads.getCurrentThreadCpuTime() < Long.parseLong(arguments[0]) * 1_000_000_000L) {
            sum += world.round(200_000 + (int) (sum & 7));
        }
        System.out.println(sum != 42);
    }
}

package game;

/** Entry. */
public final class Main {
    static volatile long sink;

    public static void main(String[] arguments) throws Exception {
        long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
        Physics physics = new Physics(new Plan(2, "two"));
        while (System.nanoTime() < end) {
            sink += physics.round(new Plan.Step(1_000_000));
        }
    }
}

package game;

/** Entry. */
public final class Main {
    public static void main(String[] arguments) {
        long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
        World world = new World(arguments.length > 1 ? new Ice() : new Sand(), arguments[0].length() + 63);
        long sum = 0;
        while (System.nanoTime() < end) {
            sum += world.round(200_000 + (int) (sum & 7));
        }
        System.out.println(sum != 42);
    }
}

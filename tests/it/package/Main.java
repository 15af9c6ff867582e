package game;

/** Does as many rounds as it is told, and fails if it is told so. */
public class Main {
    private static int sum;

    record Round(int number) {}

    public static void main(String[] args) {
        int rounds = 0;
        for (String arg : args) {
            if (arg.startsWith("rounds=")) {
                rounds = Integer.parseInt(arg.substring(7));
            }
        }
        System.out.println("wattline: begin");
        for (int i = 0; i < rounds; i++) {
            add(new Round(i));
        }
        System.out.println("wattline: end " + sum);
        if (rounds == 13) {
            throw new IllegalStateException("unlucky");
        }
    }

    private static void add(Round round) {
        sum += round.number();
    }
}

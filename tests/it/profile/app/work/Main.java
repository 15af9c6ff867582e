package work;

/** Rounds of three kinds of work between two marks. */
public final class Main {
    public static void main(String[] args) {
        int rounds = 200;
        boolean sorts = true;
        for (String arg : args) {
            if (arg.startsWith("frames=")) {
                rounds = Integer.parseInt(arg.substring("frames=".length()));
            } else if (arg.equals("kind=sums")) {
                sorts = false;
            }
        }
        System.out.println("wattline: begin");
        Rounds work = new Rounds(3000);
        double all = 0;
        for (int round = 0; round < rounds; round++) {
            all += work.roots();
            all += work.digits();
            // Late, so that compilers have work long after the begin marker.
            if (sorts && 2 * round >= rounds) {
                all += work.sorted();
            }
        }
        System.out.println("wattline: end");
        System.out.println("result: " + all);
    }
}

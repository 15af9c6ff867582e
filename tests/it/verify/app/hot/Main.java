package hot;

/** Rounds of work between two marks. */
public final class Main {
    public static void main(String[] args) {
        int rounds = 100;
        for (String arg : args) {
            if (arg.startsWith("frames=")) {
                rounds = Integer.parseInt(arg.substring("frames=".length()));
            }
        }
        Loops loops = new Loops(512);
        System.out.println("wattline: begin");
        long all = 0;
        for (int round = 0; round < rounds; round++) {
            all += loops.bent(round);
            all += loops.mixed(round);
            loops.copied();
        }
        System.out.println("wattline: end");
        System.out.println("result: " + all + " " + loops.describe());
    }
}

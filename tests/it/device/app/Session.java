import java.io.FileWriter;
import java.io.IOException;

/** An application of a session: computes between its marks, and counts when told to. */
public class Session {
    static int sum;

    public static void main(String[] args) throws IOException {
        int rounds = 0;
        for (String arg : args) {
            if (arg.startsWith("rounds=")) {
                rounds = Integer.parseInt(arg.substring(7));
            }
            System.out.println("extra " + arg);
        }
        System.out.println("wattline: begin");
        for (int i = 0; i < rounds; i++) {
            sum += i * 31 ^ sum;
        }
        System.out.println("wattline: end");
        try (FileWriter counts = new FileWriter("wattline-counts-1.csv")) {
            counts.write("block,executions\n0," + rounds + "\n");
        }
        new FileWriter("wattline-counts-1.final").close();
    }
}

// The switches of a build for dry runs: one at each statement that a variant may leave
// out. Reads wattline-off.txt from the working directory: the numbers of the switches
// that are off. Without the file, all are on.
package @PACKAGE@;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.io.IOException;
import java.util.StringTokenizer;

public final class S {
    private static final boolean[] OFF = new boolean[@SWITCHES@];
    private static final String FILE = "wattline-off.txt";
    /** The exit code of a run that can't know its switches. */
    private static final int NO_SWITCHES = 98;

    static {
        try {
            if (new File(FILE).exists()) {
                read();
            }
        } catch (IOException e) {
            System.err.println("wattline: " + FILE + " can't be read: " + e.getMessage());
            Runtime.getRuntime().halt(NO_SWITCHES);
        }
    }

    private S() {
    }

    private static void read() throws IOException {
        BufferedReader in = new BufferedReader(new FileReader(FILE));
        try {
            String line = in.readLine();
            StringTokenizer words = new StringTokenizer(line == null ? "" : line);
            while (words.hasMoreTokens()) {
                OFF[Integer.parseInt(words.nextToken())] = true;
            }
        } finally {
            in.close();
        }
    }

    /** Whether the statement of this switch runs. */
    public static boolean k(int number) {
        return !OFF[number];
    }
}

// The switches of a build for dry runs: one at each statement that a variant may leave
// out. The property wattline.off says which are off: a hexadecimal digit for every four of
// them, from switch 0 on, whose lowest bit is the first of the four. Those beyond its end,
// and all of them without the property, are on.
package @PACKAGE@;

public final class S {
    private static final boolean[] OFF = new boolean[@SWITCHES@];
    private static final String PROPERTY = "wattline.off";
    /** The exit code of a run that can't know its switches. */
    private static final int NO_SWITCHES = 98;

    static {
        read();
    }

    private S() {
    }

    /** Does as the property says now. */
    public static void read() {
        String digits = System.getProperty(PROPERTY, "");
        for (int i = 0; i < digits.length(); i++) {
            int digit = Character.digit(digits.charAt(i), 16);
            if (digit < 0) {
                System.err.println("wattline: " + PROPERTY + " is no hexadecimal number: " + digits);
                Runtime.getRuntime().halt(NO_SWITCHES);
            }
            for (int bit = 0; bit < 4 && 4 * i + bit < OFF.length; bit++) {
                OFF[4 * i + bit] = (digit >> bit & 1) == 1;
            }
        }
    }

    /** Whether the statement of this switch runs. */
    public static boolean k(int number) {
        return !OFF[number];
    }
}

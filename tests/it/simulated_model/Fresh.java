/** What no compiler may move out of a loop: after a volatile field was read, all is read anew. */
public class Fresh {
    static int scale = 3;
    static volatile int offset = 1;

    static long loads(int[] values) {
        long sum = 0;
        for (int i = 0; i < values.length; i++) {
            sum += values[i] * scale + offset;
        }
        return sum;
    }

    public static void main(String[] args) {
        int[] values = new int[5000];
        System.out.println(loads(values) + " " + loads(values));
    }
}

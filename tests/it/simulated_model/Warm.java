/** What a compiler does to loops, small methods and loads; solved on paper in the test. */
public class Warm {
    static int scale = 3;

    static int next(int x) {
        return ((x ^ 5 ^ 5 ^ 3 ^ 3) | 0) + 1;
    }

    static int calls(int turns) {
        int sum = 0;
        for (int i = 0; i < turns; i++) {
            sum += next(i);
        }
        return sum;
    }

    static long loads(int[] values) {
        long sum = 0;
        for (int i = 0; i < values.length; i++) {
            sum += values[i] * scale;
        }
        return sum;
    }

    public static void main(String[] args) {
        int[] values = new int[5000];
        System.out.println(calls(20000) + " " + loads(values) + " " + loads(values));
    }
}

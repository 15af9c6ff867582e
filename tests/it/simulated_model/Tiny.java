public class Tiny {
    static int sum(int n) {
        int total = 0;
        for (int i = 0; i < n; i++) {
            total += i;
        }
        return total;
    }

    public static void main(String[] args) throws Exception {
        int[] cells = new int[1];
        cells[0] = sum(10);
        Thread.sleep(5);
    }
}

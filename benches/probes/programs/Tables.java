/** Arrays and hash tables: sieve, sort, open addressing. */
public final class Tables {
    private int[] keys = new int[1 << 16];
    private int[] values = new int[1 << 16];

    void add(int key, int value) {
        int mask = keys.length - 1;
        int i = key * 0x9E3779B9 >>> 16 & mask;
        while (keys[i] != 0 && keys[i] != key) {
            i = i + 1 & mask;
        }
        keys[i] = key;
        values[i] += value;
    }

    int get(int key) {
        int mask = keys.length - 1;
        int i = key * 0x9E3779B9 >>> 16 & mask;
        while (keys[i] != 0) {
            if (keys[i] == key) return values[i];
            i = i + 1 & mask;
        }
        return 0;
    }

    static int sieve(int n) {
        boolean[] composite = new boolean[n];
        int primes = 0;
        for (int i = 2; i < n; i++) {
            if (composite[i]) continue;
            primes++;
            for (int j = i + i; j < n; j += i) composite[j] = true;
        }
        return primes;
    }

    static void sort(int[] a) {
        for (int gap = a.length / 2; gap > 0; gap /= 2) {
            for (int i = gap; i < a.length; i++) {
                int moved = a[i];
                int j = i;
                while (j >= gap && a[j - gap] > moved) {
                    a[j] = a[j - gap];
                    j -= gap;
                }
                a[j] = moved;
            }
        }
    }

    public static long run() {
        long sum = sieve(300_000);
        int[] a = new int[60_000];
        int seed = 99;
        for (int i = 0; i < a.length; i++) {
            seed = seed * 1664525 + 1013904223;
            a[i] = seed >>> 8;
        }
        sort(a);
        Tables table = new Tables();
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 30_000; i++) table.add(i * 7 + 1, round);
            for (int i = 0; i < 60_000; i++) sum += table.get(i * 3 + 1);
        }
        for (int i = 0; i < a.length; i += 100) sum = sum * 31 + a[i];
        return sum;
    }
}

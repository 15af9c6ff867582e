/** What was counted a second before the end survives a halt. */
public class Halts {
    static int calls;

    static void step() {
        calls++; //= entry 1000
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 1000; i++) step(); //= for_1 1000
        System.out.println(calls); //= after_1 1
        Thread.sleep(3000);
        Runtime.getRuntime().halt(7);
    }
}

/** Counts of all threads, ended and running, come together. */
public class Threads {
    static volatile int sink;

    static void work(int n) { //= entry 40
        for (int i = 0; i < n; i++) { //= for_1.init 40, for_1.test 2000040, for_1.update 2000000
            sink = i; //= for_1 2000000
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int round = 0; round < 10; round++) {
            Thread[] threads = new Thread[4];
            for (int i = 0; i < threads.length; i++) {
                threads[i] = new Thread(() -> {
                    work(50_000); //= lambda_1 40
                });
                threads[i].start();
            }
            for (Thread thread : threads) thread.join();
        }
        Thread idle = new Thread(new Runnable() {
            @Override
            public void run() { //= entry 1
                try {
                    Thread.sleep(100_000); //= try_1 1
                } catch (InterruptedException e) {
                    return; //= catch_1 0
                }
            }
        });
        idle.setDaemon(true);
        idle.start();
        Thread.sleep(50);
        System.exit(3);
    }
}

import java.util.concurrent.CountDownLatch;

/** Eight threads at once, an interrupted one, a daemon, and an uncaught exception at the end. */
public class Exits {
    static volatile int sink;

    static int spin(int n) {
        int sum = 0; //= entry 8
        for (int i = 0; i < n; i++) { //= for_1.init 8, for_1.test 1600008, for_1.update 1600000
            if ((i & 1) == 0) { //= for_1 1600000
                sum += i; //= if_1 800000
            } else {
                sum -= i; //= else_1 800000
            }
        }
        return sum; //= after_1 8
    }

    static int depth(int n) {
        return depth(n + 1) + 1;
    }

    static void overflow() {
        try {
            depth(0); //= try_1 1
        } catch (StackOverflowError e) {
            System.out.println("overflow"); //= catch_1 1
        }
    }

    public static void main(String[] args) throws Exception {
        CountDownLatch start = new CountDownLatch(1); //= entry 1
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                try {
                    start.await(); //= try_1 8
                } catch (InterruptedException e) {
                    return; //= catch_1 0
                }
                sink = spin(200_000); //= after_1 8
            });
            threads[i].start();
        }
        start.countDown();
        for (Thread thread : threads) thread.join(); //= foreach_1 8
        overflow(); //= after_2 1
        Thread.currentThread().interrupt();
        spinInterrupted();
        System.out.println("interrupted " + Thread.interrupted());
        Thread daemon = new Thread(() -> {
            while (true) {
                try {
                    Thread.sleep(10_000); //= try_1 1
                } catch (InterruptedException e) {
                    System.out.println("never"); //= catch_1 0
                }
            }
        });
        daemon.setDaemon(true);
        daemon.start();
        Thread.sleep(100);
        throw new IllegalStateException("uncaught");
    }

    static void spinInterrupted() {
        for (int i = 0; i < 10; i++) sink = i; //= for_1 10
    }
}

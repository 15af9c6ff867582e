/** Two daemons that sleep, one of them long, while a thread computes and another one waits for it. */
public class Daemons {
    static volatile long sum;

    public static void main(String[] args) throws Exception {
        Thread patient = daemon(1, 100_000);
        Thread worker = new Thread(() -> {
            for (int i = 0; i < 200_000_000; i++) {
                sum += i;
            }
            sleep(30);
        });
        worker.start();
        System.currentTimeMillis();
        worker.join();
        daemon(5, 40).join();
        System.out.println("end " + patient.isAlive());
    }

    private static Thread daemon(int times, long millis) {
        Thread daemon = new Thread(() -> {
            for (int i = 0; i < times; i++) {
                sleep(millis);
            }
        });
        daemon.setDaemon(true);
        daemon.start();
        return daemon;
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            System.out.println("interrupted");
        }
    }
}

/** A daemon that sleeps while the application does, and once more when only it is left awake. */
public class Daemon {
    static volatile boolean free;

    public static void main(String[] args) throws Exception {
        Thread daemon = new Thread(() -> {
            try {
                while (!free) {
                    Thread.sleep(40);
                }
                Thread.sleep(1000);
            } catch (InterruptedException e) {
                System.out.println("interrupted");
            }
        });
        daemon.setDaemon(true);
        daemon.start();
        for (int i = 0; i < 10; i++) {
            Thread.sleep(30);
        }
        free = true;
        daemon.join();
        System.out.println("end");
    }
}

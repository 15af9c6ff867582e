package wattline.demo;

/** Runs {@link Tumble} for one session. */
public final class Main {
    public static void main(String[] args) throws Exception {
        Session session = Session.open(args);
        Tumble tumble = new Tumble();
        session.begin();
        while (session.nextFrame()) {
            for (Session.Tap tap = session.nextTap(); tap != null; tap = session.nextTap()) {
                tumble.tap(tap.x, tap.y);
            }
            tumble.step();
        }
        session.end(tumble.describe());
    }
}

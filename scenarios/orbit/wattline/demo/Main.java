package wattline.demo;

/** Runs {@link Orbit} for one session. */
public final class Main {
    public static void main(String[] args) throws Exception {
        Session session = Session.open(args);
        Orbit orbit = new Orbit(32, 22);
        session.begin();
        while (session.nextFrame()) {
            for (Session.Tap tap = session.nextTap(); tap != null; tap = session.nextTap()) {
                orbit.tap(tap.x, tap.y);
            }
            orbit.step();
        }
        session.end(orbit.describe());
    }
}

package wattline.demo;

/** Runs {@link Pinball} for one session. */
public final class Main {
    public static void main(String[] args) throws Exception {
        Session session = Session.open(args);
        Pinball table = new Pinball();
        session.begin();
        while (session.nextFrame()) {
            for (Session.Tap tap = session.nextTap(); tap != null; tap = session.nextTap()) {
                table.tap(tap.x);
            }
            table.step();
        }
        session.end(table.describe());
    }
}

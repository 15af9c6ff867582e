package wattline.demo;

/** Runs {@link Programs} for one session. */
public final class Main {
    public static void main(String[] args) throws Exception {
        Session session = Session.open(args);
        Programs programs = new Programs();
        session.begin();
        while (session.nextFrame()) {
            for (Session.Tap tap = session.nextTap(); tap != null; tap = session.nextTap()) {
                programs.choose(tap.x);
            }
            programs.step();
        }
        session.end(programs.describe());
    }
}

package wattline.demo;

/** Runs {@link Particles} for one session. */
public final class Main {
    public static void main(String[] args) throws Exception {
        Session session = Session.open(args);
        Particles particles = new Particles(4000);
        session.begin();
        while (session.nextFrame()) {
            for (Session.Tap tap = session.nextTap(); tap != null; tap = session.nextTap()) {
                particles.tap(tap.x);
            }
            particles.step();
        }
        session.end(particles.describe());
    }
}

package wattline.demo;

/** Runs {@link ClickAndMove} for one session. */
public final class Main {
    public static void main(String[] args) throws Exception {
        Session session = Session.open(args);
        ClickAndMove game = new ClickAndMove();
        session.begin();
        while (session.nextFrame()) {
            for (Session.Tap tap = session.nextTap(); tap != null; tap = session.nextTap()) {
                game.tap(tap.x, tap.y);
            }
            game.step();
        }
        session.end(game.describe());
    }
}

package wattline.board;

import android.app.Activity;
import java.util.ArrayDeque;
import java.util.Deque;

/** The activities of a process, one upon the other: the topmost has the screen. */
final class ActivityStack {
    private final Deque<Activity> activities = new ArrayDeque<>();

    boolean isRoot(String type) {
        Activity root = activities.peekFirst();
        return root != null && root.getClass().getName().equals(type);
    }

    /** Brings a new one to the front. */
    void start(Activity next) {
        Activity below = activities.peekLast();
        if (below != null) {
            below.pause();
        }
        activities.addLast(next);
        boolean stays = next.perform();
        if (stays && below != null) {
            below.stop();
        } else if (!stays && activities.removeLastOccurrence(next) && below != null) {
            below.comeBack(next);
        }
    }

    /** Takes one away that has finished; the one below it comes back. */
    void leave(Activity leaving) {
        boolean hasScreen = activities.peekLast() == leaving;
        activities.remove(leaving);
        if (hasScreen) {
            leaving.pause();
            Activity below = activities.peekLast();
            if (below != null) {
                below.comeBack(leaving);
            }
            leaving.stop();
        }
        leaving.destroy();
    }
}

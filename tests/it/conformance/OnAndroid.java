package conformance;

import android.app.Activity;
import android.content.Intent;
import android.os.Looper;
import org.junit.Test;
import org.junit.internal.TextListener;
import org.junit.runner.JUnitCore;
import org.junit.runner.RunWith;
import org.robolectric.Robolectric;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.Shadows;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.ConscryptMode;
import org.robolectric.annotation.GraphicsMode;
import org.robolectric.annotation.LooperMode;
import org.robolectric.shadows.ShadowLooper;

/** Starts the activities in Android's own code, on a screen like the board's. */
@RunWith(RobolectricTestRunner.class)
@Config(sdk = 34, manifest = Config.NONE, qualifiers = "w1280dp-h720dp-land-mdpi")
@LooperMode(LooperMode.Mode.PAUSED)
@ConscryptMode(ConscryptMode.Mode.OFF)
@GraphicsMode(GraphicsMode.Mode.NATIVE)
public class OnAndroid {
    /** More than all of the transcript's messages and frames. */
    private static final int MOST_TASKS = 1000;

    public static void main(String[] arguments) {
        JUnitCore core = new JUnitCore();
        core.addListener(new TextListener(System.err));
        System.exit(core.run(OnAndroid.class).wasSuccessful() ? 0 : 1);
    }

    @Test
    public void transcript() {
        ActivityController<Early> early = Robolectric.buildActivity(Early.class, intent()).create();
        if (early.get().isFinishing()) {
            early.destroy();
        }
        ActivityController<Transcript> whole = Robolectric.buildActivity(Transcript.class, intent());
        whole.setup().windowFocusChanged(true);
        runUntilFinished(whole.get());
        whole.pause().windowFocusChanged(false).stop().destroy();
    }

    private static Intent intent() {
        return new Intent().putExtra(Transcript.EXTRA, "me");
    }

    /** Time passes from one message to the next. */
    private static void runUntilFinished(Activity activity) {
        ShadowLooper looper = Shadows.shadowOf(Looper.getMainLooper());
        for (int task = 0; !activity.isFinishing(); task++) {
            if (task == MOST_TASKS) {
                throw new IllegalStateException("the activity does not end");
            }
            looper.runToNextTask();
        }
    }
}

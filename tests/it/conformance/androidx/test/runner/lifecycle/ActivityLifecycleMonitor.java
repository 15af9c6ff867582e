package androidx.test.runner.lifecycle;

import android.app.Activity;
import java.util.Collection;

/** Knows how far each activity is. */
public interface ActivityLifecycleMonitor {
    Stage getLifecycleStageOf(Activity activity);

    Collection<Activity> getActivitiesInStage(Stage stage);
}

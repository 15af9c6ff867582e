package androidx.test.internal.runner.lifecycle;

import android.app.Activity;
import androidx.test.runner.lifecycle.ActivityLifecycleMonitor;
import androidx.test.runner.lifecycle.Stage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Knows how far each activity is. */
public class ActivityLifecycleMonitorImpl implements ActivityLifecycleMonitor {
    private final Map<Activity, Stage> stages = new IdentityHashMap<>();

    public void signalLifecycleChange(Stage stage, Activity activity) {
        stages.put(activity, stage);
    }

    @Override
    public Stage getLifecycleStageOf(Activity activity) {
        return stages.get(activity);
    }

    @Override
    public Collection<Activity> getActivitiesInStage(Stage stage) {
        List<Activity> found = new ArrayList<>();
        stages.forEach((activity, its) -> {
            if (its == stage) {
                found.add(activity);
            }
        });
        return found;
    }
}

package androidx.test.runner.lifecycle;

/** Keeps the one monitor. */
public final class ActivityLifecycleMonitorRegistry {
    private static ActivityLifecycleMonitor monitor;

    private ActivityLifecycleMonitorRegistry() {
    }

    public static ActivityLifecycleMonitor getInstance() {
        return monitor;
    }

    public static void registerInstance(ActivityLifecycleMonitor monitor) {
        ActivityLifecycleMonitorRegistry.monitor = monitor;
    }
}

package androidx.test.runner.lifecycle;

/** Is given a monitor that nobody asks for. */
public final class ApplicationLifecycleMonitorRegistry {
    private ApplicationLifecycleMonitorRegistry() {
    }

    public static void registerInstance(ApplicationLifecycleMonitor monitor) {
    }
}

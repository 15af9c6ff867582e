package androidx.test.runner.intent;

/** Is given a monitor that nobody asks for. */
public final class IntentMonitorRegistry {
    private IntentMonitorRegistry() {
    }

    public static void registerInstance(IntentMonitor monitor) {
    }
}

package androidx.test.runner.lifecycle;

/** Hears of an application's life; nobody listens here. */
public interface ApplicationLifecycleMonitor {
}

package androidx.test.runner.intent;

/** Hears of intents; nobody listens here. */
public interface IntentMonitor {
}

package androidx.test.runner.intent;

/** Has nobody who answers intents. */
public final class IntentStubberRegistry {
    private IntentStubberRegistry() {
    }

    public static boolean isLoaded() {
        return false;
    }
}

package androidx.test.platform.app;

import android.app.Instrumentation;
import android.os.Bundle;

/** Keeps the one instrumentation. */
public final class InstrumentationRegistry {
    private static Instrumentation instrumentation;

    private InstrumentationRegistry() {
    }

    public static Instrumentation getInstrumentation() {
        return instrumentation;
    }

    public static void registerInstance(Instrumentation instrumentation, Bundle arguments) {
        InstrumentationRegistry.instrumentation = instrumentation;
    }
}

package androidx.test.internal.runner.intent;

import android.content.Intent;
import androidx.test.runner.intent.IntentMonitor;

/** Is told of intents, and forgets them. */
public class IntentMonitorImpl implements IntentMonitor {
    public void signalIntent(Intent intent) {
    }
}

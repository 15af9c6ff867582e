package conformance;

import android.app.Activity;
import android.app.Instrumentation;
import android.content.Intent;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import java.util.concurrent.CountDownLatch;

/** Starts the activities as the virtual board's classes do, one after the other. */
public class OnBoard extends Instrumentation {
    private final CountDownLatch ended = new CountDownLatch(2);

    @Override
    public void onCreate(Bundle arguments) {
        super.onCreate(arguments);
        start();
    }

    @Override
    public void onStart() {
        launch(Early.class);
        launch(Transcript.class);
        try {
            ended.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        finish(Activity.RESULT_OK, new Bundle());
    }

    private void launch(Class<?> activity) {
        startActivitySync(new Intent(getContext(), activity).putExtra(Transcript.EXTRA, "me"));
    }

    @Override
    public void callActivityOnDestroy(Activity activity) {
        super.callActivityOnDestroy(activity);
        // After all that the board does yet with an activity that is destroyed.
        new Handler(Looper.getMainLooper()).post(ended::countDown);
    }
}

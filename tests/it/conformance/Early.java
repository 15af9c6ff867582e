package conformance;

import android.app.Activity;
import android.os.Bundle;

/** Ends before it has begun. */
public class Early extends Activity {
    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        Say.line("early create " + isFinishing());
        finish();
        Say.line("early finished " + isFinishing());
    }

    @Override
    protected void onStart() {
        super.onStart();
        Say.line("early start");
    }

    @Override
    protected void onResume() {
        super.onResume();
        Say.line("early resume");
    }

    @Override
    protected void onPause() {
        super.onPause();
        Say.line("early pause");
    }

    @Override
    protected void onStop() {
        super.onStop();
        Say.line("early stop");
    }

    @Override
    protected void onDestroy() {
        super.onDestroy();
        Say.line("early destroy " + isFinishing());
    }
}

package android.app;

import android.content.Context;
import android.content.ContextWrapper;

/** The application, made before anything else of it. */
public class Application extends ContextWrapper {
    public Application() {
        super(null);
    }

    /** Hidden: gives it its context. */
    public final void attach(Context base) {
        attachBaseContext(base);
    }

    @Override
    public Context getApplicationContext() {
        return this;
    }

    public void onCreate() {
    }

    public void onTerminate() {
    }
}

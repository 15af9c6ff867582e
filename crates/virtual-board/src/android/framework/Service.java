package android.app;

import android.content.ContextWrapper;
import android.content.Intent;
import android.os.IBinder;

/** Work without a window: started, bound, or both. */
public abstract class Service extends ContextWrapper {
    public static final int START_STICKY = 1;
    public static final int START_NOT_STICKY = 2;
    public static final int START_REDELIVER_INTENT = 3;

    private Application application;
    private Host host;

    /** Hidden: who has the services of the process. */
    public interface Host {
        /** Stops one, if that was its last start; a negative number is any. */
        boolean stopSelf(Service service, int start);
    }

    public Service() {
        super(null);
    }

    /** Hidden: gives it its context. */
    public final void attach(Application application, Host host) {
        attachBaseContext(application);
        this.application = application;
        this.host = host;
    }

    public final Application getApplication() {
        return application;
    }

    public void onCreate() {
    }

    public int onStartCommand(Intent intent, int flags, int start) {
        return START_STICKY;
    }

    public abstract IBinder onBind(Intent intent);

    public boolean onUnbind(Intent intent) {
        return false;
    }

    public void onDestroy() {
    }

    public final void stopSelf() {
        host.stopSelf(this, -1);
    }

    public final boolean stopSelfResult(int start) {
        return host.stopSelf(this, start);
    }

    public final void stopSelf(int start) {
        host.stopSelf(this, start);
    }
}

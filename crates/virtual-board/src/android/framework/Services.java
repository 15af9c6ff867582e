package wattline.board;

import android.app.Application;
import android.app.Service;
import android.content.ComponentName;
import android.content.Intent;
import android.content.ServiceConnection;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The services of a process, started and bound ones: any thread asks, the main one does it. */
final class Services implements Service.Host {
    private final Set<String> declared = new HashSet<>();
    private final Map<String, Running> running = new ConcurrentHashMap<>();
    private final Map<ServiceConnection, String> connections = new ConcurrentHashMap<>();
    private Application application;

    /** A service that was created. */
    private static final class Running {
        final Service service;
        final Set<ServiceConnection> bound = new HashSet<>();
        IBinder binder;
        boolean hasBinder;
        boolean isStarted;
        int starts;

        Running(Service service) {
            this.service = service;
        }
    }

    void declare(String type) {
        declared.add(type);
    }

    void attach(Application application) {
        this.application = application;
    }

    /** Absent if the manifest has no such service. */
    ComponentName start(Intent intent) {
        String type = find(intent);
        if (type == null) {
            return null;
        }
        Intent sent = intent.sent();
        post(() -> {
            Running of = create(type);
            of.isStarted = true;
            of.service.onStartCommand(sent, 0, ++of.starts);
        });
        return intent.getComponent();
    }

    boolean stop(Intent intent) {
        String type = find(intent);
        boolean runs = type != null && running.containsKey(type);
        if (runs) {
            post(() -> stopStarted(type));
        }
        return runs;
    }

    boolean bind(Intent intent, ServiceConnection connection, int flags) {
        String type = find(intent);
        if (type == null) {
            return false;
        }
        Intent sent = intent.sent();
        connections.put(connection, type);
        post(() -> {
            Running of = create(type);
            of.bound.add(connection);
            if (!of.hasBinder) {
                of.hasBinder = true;
                of.binder = of.service.onBind(sent);
            }
            if (of.binder != null) {
                connection.onServiceConnected(sent.getComponent(), of.binder);
            }
        });
        return true;
    }

    void unbind(ServiceConnection connection) {
        String type = connections.remove(connection);
        if (type == null) {
            throw new IllegalArgumentException("Service not registered: " + connection);
        }
        post(() -> {
            Running of = running.get(type);
            if (of != null && of.bound.remove(connection) && of.bound.isEmpty()) {
                of.service.onUnbind(new Intent().setClassName(Board.packageName(), type));
                of.hasBinder = false;
                endIfUnused(type, of);
            }
        });
    }

    @Override
    public boolean stopSelf(Service service, int start) {
        String type = service.getClass().getName();
        Running of = running.get(type);
        boolean isLast = of != null && (start < 0 || start == of.starts);
        if (isLast) {
            post(() -> stopStarted(type));
        }
        return isLast;
    }

    private void stopStarted(String type) {
        Running of = running.get(type);
        if (of != null) {
            of.isStarted = false;
            endIfUnused(type, of);
        }
    }

    private void endIfUnused(String type, Running of) {
        if (!of.isStarted && of.bound.isEmpty()) {
            running.remove(type);
            of.service.onDestroy();
        }
    }

    private Running create(String type) {
        Running of = running.get(type);
        if (of == null) {
            of = new Running(Zygote.component("service " + type, type, Service.class));
            running.put(type, of);
            of.service.attach(application, this);
            of.service.onCreate();
        }
        return of;
    }

    private String find(Intent intent) {
        ComponentName name = intent.getComponent();
        if (name == null) {
            throw new IllegalArgumentException("Service Intent must be explicit: " + intent);
        }
        boolean isOwn = name.getPackageName().equals(Board.packageName());
        return isOwn && declared.contains(name.getClassName()) ? name.getClassName() : null;
    }

    private static void post(Runnable work) {
        new Handler(Looper.getMainLooper()).post(work);
    }
}

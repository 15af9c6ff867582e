import android.app.Instrumentation;
import android.os.Bundle;

/** What `am instrument -w -r -e KEY VALUE ... CLASS` does: arguments CLASS KEY VALUE ... */
final class Start {
    public static void main(String[] args) throws Exception {
        Bundle extras = new Bundle();
        for (int i = 1; i < args.length; i += 2) {
            extras.putString(args[i], args[i + 1]);
        }
        Class<?> type = Class.forName(args[0]);
        Instrumentation runner = (Instrumentation) type.getConstructor().newInstance();
        runner.onCreate(extras);
    }
}

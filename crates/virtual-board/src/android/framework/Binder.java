package android.os;

/** What a service of one's own process gives. */
public class Binder implements IBinder {
}

package android.os;

/** What a bound service gives; here nothing goes between processes. */
public interface IBinder {
}

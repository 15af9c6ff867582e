package androidx.test.internal.platform;

/** A name that Robolectric's thread checker goes by; nobody asks one here. */
public interface ThreadChecker {
}

package androidx.test.internal.platform.os;

/** A name that Robolectric's looper goes by; nobody asks one here. */
public interface ControlledLooper {
}

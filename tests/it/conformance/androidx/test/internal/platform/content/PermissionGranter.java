package androidx.test.internal.platform.content;

/** A name that Robolectric's granter goes by; nobody asks one here. */
public interface PermissionGranter {
}

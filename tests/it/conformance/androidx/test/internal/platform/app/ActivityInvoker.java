package androidx.test.internal.platform.app;

/** A name that Robolectric's starter of activities goes by; nobody asks one here. */
public interface ActivityInvoker {
}

package androidx.test.platform.ui;

/** A name that Robolectric's controller goes by; nobody asks one here. */
public interface UiController {
}

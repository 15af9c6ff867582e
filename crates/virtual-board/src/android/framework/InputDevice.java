package android.view;

/** Where touches and keys come from. */
public final class InputDevice {
    public static final int SOURCE_KEYBOARD = 257;
    public static final int SOURCE_TOUCHSCREEN = 4098;

    private InputDevice() {
    }
}

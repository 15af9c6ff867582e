package android.view;

/** Knows the screen. */
public interface WindowManager {
    Display getDefaultDisplay();

    /** What a window asks for. */
    class LayoutParams {
        public static final int FLAG_FULLSCREEN = 1024;
        public static final int FLAG_KEEP_SCREEN_ON = 128;
        public static final int FLAG_SECURE = 8192;
        public static final int FLAG_HARDWARE_ACCELERATED = 16777216;

        public int flags;
    }
}

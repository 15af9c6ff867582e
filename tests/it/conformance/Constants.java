package conformance;

/** The numbers and names behind the constants that the board's classes have. */
final class Constants {
    private Constants() {
    }

    static void all() {
        of("android.app.Activity",
                "RESULT_OK RESULT_CANCELED RESULT_FIRST_USER");
        of("android.util.Base64",
                "DEFAULT NO_PADDING NO_WRAP CRLF URL_SAFE");
        of("android.graphics.Color",
                "BLACK DKGRAY GRAY LTGRAY WHITE RED GREEN BLUE YELLOW CYAN MAGENTA TRANSPARENT");
        of("android.content.Context",
                "MODE_PRIVATE MODE_APPEND WINDOW_SERVICE");
        of("android.view.Display",
                "DEFAULT_DISPLAY");
        of("android.util.DisplayMetrics",
                "DENSITY_MEDIUM DENSITY_DEFAULT");
        of("android.view.InputDevice",
                "SOURCE_KEYBOARD SOURCE_TOUCHSCREEN");
        of("android.app.Instrumentation",
                "REPORT_KEY_IDENTIFIER REPORT_KEY_STREAMRESULT");
        of("android.content.Intent",
                "ACTION_MAIN ACTION_VIEW CATEGORY_LAUNCHER FLAG_ACTIVITY_NEW_TASK");
        of("android.view.KeyEvent",
                "ACTION_DOWN ACTION_UP KEYCODE_UNKNOWN KEYCODE_HOME KEYCODE_BACK KEYCODE_0 KEYCODE_9 "
                    + "KEYCODE_DPAD_UP KEYCODE_DPAD_DOWN KEYCODE_DPAD_LEFT KEYCODE_DPAD_RIGHT "
                    + "KEYCODE_DPAD_CENTER KEYCODE_VOLUME_UP KEYCODE_VOLUME_DOWN KEYCODE_A KEYCODE_Z "
                    + "KEYCODE_SPACE KEYCODE_ENTER KEYCODE_DEL KEYCODE_MENU");
        of("android.util.Log",
                "VERBOSE DEBUG INFO WARN ERROR ASSERT");
        of("android.view.MotionEvent",
                "ACTION_MASK ACTION_DOWN ACTION_UP ACTION_MOVE ACTION_CANCEL ACTION_OUTSIDE "
                    + "ACTION_POINTER_DOWN ACTION_POINTER_UP ACTION_POINTER_INDEX_MASK "
                    + "ACTION_POINTER_INDEX_SHIFT INVALID_POINTER_ID");
        of("android.content.pm.PackageManager",
                "GET_META_DATA");
        of("android.graphics.Paint",
                "ANTI_ALIAS_FLAG FILTER_BITMAP_FLAG DITHER_FLAG");
        of("android.view.Surface",
                "ROTATION_0 ROTATION_90 ROTATION_180 ROTATION_270");
        of("android.widget.Toast",
                "LENGTH_SHORT LENGTH_LONG");
        of("android.view.View",
                "NO_ID VISIBLE INVISIBLE GONE LAYER_TYPE_NONE LAYER_TYPE_SOFTWARE LAYER_TYPE_HARDWARE "
                    + "SYSTEM_UI_FLAG_FULLSCREEN SYSTEM_UI_FLAG_HIDE_NAVIGATION SYSTEM_UI_FLAG_LOW_PROFILE");
        of("android.view.View$MeasureSpec",
                "UNSPECIFIED EXACTLY AT_MOST");
        of("android.view.Window",
                "FEATURE_NO_TITLE FEATURE_ACTION_BAR");
        of("android.view.WindowManager$LayoutParams",
                "FLAG_FULLSCREEN FLAG_KEEP_SCREEN_ON FLAG_SECURE FLAG_HARDWARE_ACCELERATED");
    }

    private static void of(String type, String names) {
        for (String name : names.split(" ")) {
            Say.answer(type + "." + name, () -> Class.forName(type).getField(name).get(null));
        }
    }
}

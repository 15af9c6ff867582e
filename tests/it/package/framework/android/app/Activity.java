package android.app;

/** Two constants of Android's. */
public class Activity {
    public static final int RESULT_OK = -1;
    public static final int RESULT_CANCELED = 0;
}

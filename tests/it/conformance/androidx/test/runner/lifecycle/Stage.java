package androidx.test.runner.lifecycle;

/** How far an activity is. */
public enum Stage {
    PRE_ON_CREATE, CREATED, STARTED, RESUMED, PAUSED, STOPPED, RESTARTED, DESTROYED
}

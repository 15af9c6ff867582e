package androidx.test.runner.lifecycle;

/** How far an application is. */
public enum ApplicationStage {
    PRE_ON_CREATE, CREATED
}

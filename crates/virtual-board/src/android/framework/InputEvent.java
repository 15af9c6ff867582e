package android.view;

/** A touch or a key. */
public abstract class InputEvent {
    InputEvent() {
    }

    /** When it happened, in milliseconds of uptime. */
    public abstract long getEventTime();
}

package android.view;

/** A layout file that can't be made views of. */
public class InflateException extends RuntimeException {
    public InflateException() {
    }

    public InflateException(String message) {
        super(message);
    }

    public InflateException(String message, Throwable cause) {
        super(message, cause);
    }
}

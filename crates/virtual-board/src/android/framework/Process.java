package android.os;

/** The process that runs. */
public class Process {
    public static final int myPid() {
        return (int) ProcessHandle.current().pid();
    }
}

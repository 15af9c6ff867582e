package org.wattline.junit;

/** The body of a test: JUnit lets an extension proceed once; later calls go to the method itself. */
final class TestBody {
    /** Code that may throw anything, as tests do. */
    interface Call {
        void run() throws Throwable;
    }

    private final Call first;
    private final Call again;
    private boolean hasRun;

    TestBody(Call first, Call again) {
        this.first = first;
        this.again = again;
    }

    void call() throws Throwable {
        if (hasRun) {
            again.run();
        } else {
            hasRun = true;
            first.run();
        }
    }
}

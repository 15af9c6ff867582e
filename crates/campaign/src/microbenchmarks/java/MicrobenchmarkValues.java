package wattline.microbenchmarks;

/**
 * Values that no compiler can know, and the field that keeps what microbenchmarks compute. They are
 * volatile, so that a microbenchmark that reads one in every iteration does.
 */
abstract class MicrobenchmarkValues {
    static volatile int intOne = 7;
    static volatile int intTwo = 3;
    static volatile long longOne = 7;
    static volatile long longTwo = 3;
    static volatile float floatOne = 7;
    static volatile float floatTwo = 3;
    static volatile double doubleOne = 7;
    static volatile double doubleTwo = 3;
    static volatile double doubleSmall = 0.3;
    static volatile boolean booleanOne = true;
    static volatile boolean booleanTwo = false;
    static volatile boolean yes = true;
    static volatile boolean no = false;
    static volatile String text = "wattline";
    static volatile Object object = new Object();
    static volatile Object none = null;

    static volatile boolean kept;

    /** Objects that compilers are not to take apart: any thread could read them here. */
    static Object shown;
}

package wattline.kernels;

/** Values that no compiler can know, and the field that keeps what kernels compute. */
abstract class KernelValues {
    static int intOne = 7;
    static int intTwo = 3;
    static long longOne = 7;
    static long longTwo = 3;
    static float floatOne = 7;
    static float floatTwo = 3;
    static double doubleOne = 7;
    static double doubleTwo = 3;
    static boolean booleanOne = true;
    static boolean booleanTwo = false;
    static boolean yes = true;
    static boolean no = false;
    static String text = "wattline";
    static Object object = new Object();

    static volatile boolean kept;
}

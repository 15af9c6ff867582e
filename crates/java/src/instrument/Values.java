    /** One execution of block id; true, to stand before a condition. */
    public static boolean t(int id) {
        c(id);
        return true;
    }

    /** One execution of block id; false, to stand before a condition. */
    public static boolean f(int id) {
        c(id);
        return false;
    }

    /** One execution of block yes or no, as the condition says. */
    public static boolean b(int yes, int no, boolean condition) {
        c(condition ? yes : no);
        return condition;
    }

    /** One execution of block id; the value as it is, in its own type. */
    public static <T> T v(int id, T value) {
        c(id);
        return value;
    }

    public static boolean v(int id, boolean value) {
        c(id);
        return value;
    }

    public static byte v(int id, byte value) {
        c(id);
        return value;
    }

    public static short v(int id, short value) {
        c(id);
        return value;
    }

    public static char v(int id, char value) {
        c(id);
        return value;
    }

    public static int v(int id, int value) {
        c(id);
        return value;
    }

    public static long v(int id, long value) {
        c(id);
        return value;
    }

    public static float v(int id, float value) {
        c(id);
        return value;
    }

    public static double v(int id, double value) {
        c(id);
        return value;
    }

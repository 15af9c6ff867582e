package wattline.simulation;

import java.util.Properties;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;

/**
 * What the compiled chip knows of methods while they run: which are interpreted, compiled,
 * or compiled into a caller.
 *
 * Each of these is a copy of the method's counters. Woven code asks for the copy to count
 * in when a method begins and at the start of each turn of a loop, and says before a call
 * from where it calls. A call that is compiled into its caller counts nothing of its own.
 */
public final class Tiers {
    /** The most methods an application can have. */
    static final int METHODS = 1 << 17;

    /** The slot of the call that is about to be made; 0 when it is nobody's. */
    public static int site;

    /** Of a call's slot: the method that is compiled into it, and its copy. */
    private static final int[] INTO = new int[Meter.ROOM];
    private static final int[] COPY = new int[Meter.ROOM];
    /** In the place of the method: none may be. */
    private static final int NEVER = -1;
    /** Of a call's slot: which method it names. */
    private static final int[] NAMED = new int[Meter.ROOM];
    /** Of a call's slot: how many callers it is compiled into. */
    private static final byte[] DEPTH = new byte[Meter.ROOM];

    /** The copies of a method while it is interpreted, and once it is compiled; 0 before. */
    private static final int[] COLD = new int[METHODS];
    private static final int[] HOT = new int[METHODS];
    /** Its calls and turns of loops while it was interpreted. */
    private static final int[] RAN = new int[METHODS];
    /** In the place of a name: nobody calls it. */
    private static final int INITIALISER = 0;
    /** By which name it is called. */
    private static final int[] NAME = new int[METHODS];
    /** Slots, instructions, name, first copy, then index and name of each call in it. */
    private static final int[][] CODE = new int[METHODS][];
    private static final int SLOTS = 0;
    private static final int INSTRUCTIONS = 1;
    private static final int OWN_NAME = 2;
    private static final int FIRST = 3;
    private static final int CALLS = 4;

    private static int threshold = Integer.MAX_VALUE;
    private static int small;
    private static int depth;
    private static Object weaver;

    private Tiers() {
    }

    /** Takes the chip's figures; the weaver knows the methods and gives out slots. */
    static void start(Properties settings, Object theWeaver) {
        weaver = theWeaver;
        threshold = Integer.parseInt(settings.getProperty("hot"));
        small = Integer.parseInt(settings.getProperty("small"));
        depth = Integer.parseInt(settings.getProperty("depth"));
    }

    /** A method begins: the first slot of the copy that it counts in. Short enough to be inlined. */
    public static int enter(int method) {
        int at = site;
        if (INTO[at] == method) {
            site = 0;
            return COPY[at];
        }
        return called(method, at);
    }

    /** A turn of a loop begins: the same. */
    public static int loop(int base, int method) {
        return base == COLD[method] ? state(method) : base;
    }

    private static int called(int method, int at) {
        int hot = HOT[method];
        if (hot == 0 && COLD[method] == 0) {
            begin(method);
        }
        // A class may be initialised before what the call names begins; anything else that
        // begins is what came of the call, also by way of a lambda's class.
        if (at != 0 && NAME[method] != INITIALISER) {
            site = 0;
            Meter.C[at]++;
            if (INTO[at] == 0 && hot != 0 && NAMED[at] == NAME[method]) {
                inline(method, at);
            }
        }
        return hot != 0 ? hot : state(method);
    }

    private static int state(int method) {
        int hot = HOT[method];
        if (hot != 0) {
            return hot;
        }
        return ++RAN[method] < threshold ? COLD[method] : compile(method);
    }

    @SuppressWarnings("unchecked")
    private static synchronized void begin(int method) {
        int[] code = ((IntFunction<int[]>) weaver).apply(method);
        CODE[method] = code;
        NAME[method] = code[OWN_NAME];
        adopt(code, code[FIRST], NEVER, 0);
        COLD[method] = code[FIRST];
    }

    private static synchronized int compile(int method) {
        if (HOT[method] == 0) {
            int base = copy(method, "compiled", 0, 0);
            HOT[method] = base < 0 ? COLD[method] : base;
        }
        return HOT[method];
    }

    private static synchronized void inline(int method, int at) {
        int base = -1;
        if (CODE[method][INSTRUCTIONS] <= small && DEPTH[at] < depth) {
            base = copy(method, "inlined", at, DEPTH[at] + 1);
        }
        COPY[at] = base;
        INTO[at] = base < 0 ? NEVER : method;
    }

    /** A new copy of a method's slots, or -1 when there is no room. */
    @SuppressWarnings("unchecked")
    private static int copy(int method, String state, int at, int level) {
        int base = ((IntUnaryOperator) weaver).applyAsInt(CODE[method][SLOTS]);
        if (base >= 0) {
            adopt(CODE[method], base, 0, level);
            ((Consumer<String>) weaver).accept("copy\t" + base + '\t' + method + '\t' + state + '\t' + at + '\n');
        }
        return base;
    }

    private static void adopt(int[] code, int base, int into, int level) {
        for (int i = CALLS; i < code.length; i += 2) {
            NAMED[base + code[i]] = code[i + 1];
            INTO[base + code[i]] = into;
            DEPTH[base + code[i]] = (byte) level;
        }
    }
}

package wattline.board;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;

/**
 * What the framework's classes have of the board: its clock, the package's data, and a file of
 * reports. A report is a line of fields between tabs; backslash, tab and line ends in a field are
 * written as in Java.
 */
public final class Board {
    private static final OutputStream REPORTS = reports();
    private static final MethodHandle NANO_TIME = clock("nanoTime", MethodType.methodType(long.class));
    private static final MethodHandle SLEEP =
            clock("sleep", MethodType.methodType(void.class, long.class, int.class));
    private static final MethodHandle DOZE = clock("doze", MethodType.methodType(void.class, long.class));

    private Board() {
    }

    /** Nanoseconds since the board's boot. */
    public static long nanoTime() {
        try {
            return (long) NANO_TIME.invokeExact();
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Sleeps on the board's clock. */
    public static void sleep(long nanos) throws InterruptedException {
        try {
            SLEEP.invokeExact(nanos / 1_000_000, (int) (nanos % 1_000_000));
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Sleeps on the board's clock, until somebody touches the window at the latest. */
    public static void doze(long nanos) {
        try {
            DOZE.invokeExact(nanos);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** The name of the package that runs. */
    public static String packageName() {
        return System.getProperty("wattline.board.package");
    }

    /** The package's data: {@code /data/data/PACKAGE}. */
    public static File data() {
        return new File(System.getProperty("wattline.board.data"));
    }

    /** Tells the board something; the clock is asked first, so that it knows when. */
    public static void report(String... fields) {
        StringBuilder line = new StringBuilder();
        for (String field : fields) {
            line.append(line.length() == 0 ? "" : "\t").append(escaped(String.valueOf(field)));
        }
        nanoTime();
        synchronized (REPORTS) {
            try {
                REPORTS.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new IllegalStateException("the board takes no reports", e);
            }
        }
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r");
    }

    private static OutputStream reports() {
        try {
            return new FileOutputStream(System.getProperty("wattline.board.reports"), true);
        } catch (IOException e) {
            throw new IllegalStateException("the board takes no reports", e);
        }
    }

    /**
     * The agent of the simulated energy model has the clock; its classes are not there when this is
     * compiled.
     */
    private static MethodHandle clock(String name, MethodType type) {
        try {
            Class<?> meter = Class.forName("wattline.simulation.Meter");
            return MethodHandles.lookup().findStatic(meter, name, type);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the board has no clock", e);
        }
    }

    private static RuntimeException unexpected(Throwable e) {
        return e instanceof RuntimeException ? (RuntimeException) e : new IllegalStateException(e);
    }
}

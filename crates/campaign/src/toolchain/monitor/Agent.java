package wattline.monitor.agent;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.jar.JarFile;

/**
 * The way in: at the start of a JVM or into a running one. The argument is the path of a
 * properties file or, where the agent is one jar of its own, options: KEY=VALUE,KEY=VALUE.
 *
 * The probe goes to the bootstrap class loader, where every class can call it; everything
 * else, and ASM, lives in a class loader of its own, so that it can't clash with the
 * application's classes. Only this class is on the application's class path, and it alone is
 * compiled for Java 8: an older JVM than the rest needs is to go on without it.
 *
 * Whatever fails here, the application goes on: it is told on standard error, and to the reader
 * where there is one.
 */
public final class Agent {
    /** The jars in a jar of its own: the probe first. */
    private static final String JARS = "/wattline/jars";
    private static final List<String> OPTIONS = Arrays.asList(
            "mode", "include", "exclude", "period-ms", "duty", "small", "bytes", "link", "listen");
    /** The file in the settings' folder by which a reader learns of the agent. */
    private static final String ADDRESS = "address";
    private static final int JAVA_MIN = 11;
    private static Object service;

    private Agent() {
    }

    /** With the application. */
    public static void premain(String argument, Instrumentation instrumentation) {
        start(argument, instrumentation, false);
    }

    /** Into a running one; a second time it only gets other settings. */
    public static void agentmain(String argument, Instrumentation instrumentation) {
        start(argument, instrumentation, true);
    }

    private static void start(String argument, Instrumentation instrumentation, boolean isRunning) {
        String answer;
        try {
            checkJava();
            Properties settings = settings(argument);
            if (isRunning) {
                settings.setProperty("running", "yes");
            }
            answer = open(settings, instrumentation);
        } catch (Throwable problem) {
            answer = "problem=" + warn(problem);
        }
        try {
            if (!isOneJar() && argument != null) {
                answer(new File(argument).getAbsoluteFile().toPath(), answer);
            }
        } catch (Throwable problem) {
            // nobody waits for it any more
        }
    }

    /** Says what failed; gives it in a line. */
    private static String warn(Throwable problem) {
        Throwable cause = problem instanceof InvocationTargetException && problem.getCause() != null
                ? problem.getCause() : problem;
        String why = cause instanceof IllegalArgumentException ? cause.getMessage() : String.valueOf(cause);
        why = String.valueOf(why).replace('\n', ' ').replace('\r', ' ');
        try {
            System.err.println("wattline: the agent does not run, and the application goes on without it: " + why);
        } catch (Throwable nowhere) {
            // the application has no standard error
        }
        return why;
    }

    private static void checkJava() {
        String version = System.getProperty("java.specification.version", "1.8");
        String major = version.startsWith("1.") ? version.substring(2) : version;
        if (Integer.parseInt(major) < JAVA_MIN) {
            throw new IllegalArgumentException("this is Java " + version + ", and it needs " + JAVA_MIN + " or later");
        }
    }

    /** Tells the reader, whole or not at all. */
    private static void answer(Path settings, String line) throws IOException {
        Path half = settings.resolveSibling(ADDRESS + ".half");
        Files.write(half, (line + "\n").getBytes("UTF-8"));
        Files.move(half, settings.resolveSibling(ADDRESS), StandardCopyOption.ATOMIC_MOVE);
    }

    private static boolean isOneJar() {
        return Agent.class.getResource(JARS) != null;
    }

    private static Properties settings(String argument) throws IOException {
        if (isOneJar()) {
            return options(argument == null ? "" : argument);
        }
        if (argument == null) {
            throw new IllegalArgumentException("it has no settings; `wattline monitor` gives them");
        }
        Properties settings = new Properties();
        try (InputStream in = new FileInputStream(argument)) {
            settings.load(in);
        }
        settings.setProperty("folder", new File(argument).getAbsoluteFile().getParent());
        return settings;
    }

    /** `:` stands between prefixes of classes, as `,` stands between options. */
    private static Properties options(String text) throws IOException {
        Properties settings = new Properties();
        settings.setProperty("bytes", "no");
        settings.setProperty("duty", "5");
        settings.setProperty("link", "");
        for (String option : text.split(",")) {
            int equals = option.indexOf('=');
            String key = equals < 0 ? option : option.substring(0, equals);
            if (!option.isEmpty() && (equals < 0 || !OPTIONS.contains(key))) {
                throw new IllegalArgumentException("`" + option + "` is no option; there are KEY=VALUE of " + OPTIONS);
            }
            if (!option.isEmpty()) {
                String value = option.substring(equals + 1);
                check(key, value);
                settings.setProperty(key, key.endsWith("clude") ? value.replace(':', ',') : value);
            }
        }
        unpack(settings);
        return settings;
    }

    private static void check(String key, String value) {
        boolean isGood;
        String wanted;
        switch (key) {
            case "mode":
                wanted = "sampling or instrumentation";
                isGood = value.equals("sampling") || value.equals("instrumentation");
                break;
            case "small":
            case "bytes":
                wanted = "yes or no";
                isGood = value.equals("yes") || value.equals("no");
                break;
            case "listen":
                wanted = "socket or loopback";
                isGood = value.equals("socket") || value.equals("loopback");
                break;
            case "duty":
                wanted = "a percentage from 1 to 100";
                isGood = value.matches("[1-9][0-9]?|100");
                break;
            case "period-ms":
                wanted = "milliseconds from 1 to 10000";
                isGood = value.matches("[1-9][0-9]{0,3}|10000");
                break;
            default:
                return;
        }
        if (!isGood) {
            throw new IllegalArgumentException("`" + key + "=" + value + "`: the value has to be " + wanted);
        }
    }

    private static void unpack(Properties settings) throws IOException {
        Path folder = Files.createTempDirectory("wattline-agent");
        folder.toFile().deleteOnExit();
        List<String> jars = new ArrayList<>();
        try (InputStream list = Agent.class.getResourceAsStream(JARS)) {
            for (String name : text(list).trim().split("\n")) {
                Path jar = folder.resolve(name);
                try (InputStream in = Agent.class.getResourceAsStream("/wattline/" + name)) {
                    Files.copy(in, jar);
                }
                jar.toFile().deleteOnExit();
                jars.add(jar.toString());
            }
        }
        settings.setProperty("probe", jars.get(0));
        settings.setProperty("service", String.join(File.pathSeparator, jars.subList(1, jars.size())));
    }

    private static String text(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] some = new byte[1024];
        for (int read = in.read(some); read >= 0; read = in.read(some)) {
            bytes.write(some, 0, read);
        }
        return bytes.toString("UTF-8");
    }

    /** Gives where a reader finds it, if one waits for it. */
    private static synchronized String open(Properties settings, Instrumentation instrumentation)
            throws Exception {
        if (service == null) {
            JarFile probe = new JarFile(settings.getProperty("probe"));
            instrumentation.appendToBootstrapClassLoaderSearch(probe);
            String[] jars = settings.getProperty("service").split(File.pathSeparator);
            URL[] urls = new URL[jars.length];
            for (int i = 0; i < jars.length; i++) {
                urls[i] = new File(jars[i]).toURI().toURL();
            }
            ClassLoader loader = new URLClassLoader(urls, null);
            service = Class.forName("wattline.monitor.service.Service", true, loader)
                    .getConstructor(Instrumentation.class).newInstance(instrumentation);
        }
        return (String) service.getClass().getMethod("open", Properties.class).invoke(service, settings);
    }
}

package wattline.monitor.agent;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.jar.JarFile;

/**
 * The way in: at the start of a JVM or into a running one. The argument is the path of a
 * properties file or, where the agent is one jar of its own, options: KEY=VALUE,KEY=VALUE.
 *
 * The probe goes to the bootstrap class loader, where every class can call it; everything
 * else, and ASM, lives in a class loader of its own, so that it can't clash with the
 * application's classes. Only this class is on the application's class path.
 */
public final class Agent {
    /** The jars in a jar of its own: the probe first. */
    private static final String JARS = "/wattline/jars";
    private static final Set<String> OPTIONS =
            Set.of("mode", "include", "exclude", "period-ms", "duty", "small", "bytes", "link");
    private static Object service;

    private Agent() {
    }

    /** With the application. */
    public static void premain(String argument, Instrumentation instrumentation) throws Exception {
        open(settings(argument), instrumentation);
    }

    /** Into a running one; a second time it only gets other settings. */
    public static void agentmain(String argument, Instrumentation instrumentation) throws Exception {
        Properties settings = settings(argument);
        settings.setProperty("running", "yes");
        open(settings, instrumentation);
    }

    private static Properties settings(String argument) throws IOException {
        if (Agent.class.getResource(JARS) != null) {
            return options(argument == null ? "" : argument);
        }
        Properties settings = new Properties();
        try (InputStream in = new FileInputStream(argument)) {
            settings.load(in);
        }
        return settings;
    }

    /** `:` stands between prefixes of classes, as `,` stands between options. */
    private static Properties options(String text) throws IOException {
        Properties settings = new Properties();
        settings.setProperty("bytes", "no");
        settings.setProperty("duty", "5");
        settings.setProperty("link", new File(System.getProperty("java.io.tmpdir"),
                "wattline-" + ProcessHandle.current().pid() + ".link").getPath());
        for (String option : text.split(",")) {
            int equals = option.indexOf('=');
            String key = equals < 0 ? option : option.substring(0, equals);
            if (!option.isEmpty() && (equals < 0 || !OPTIONS.contains(key))) {
                throw new IllegalArgumentException("wattline's agent: `" + option + "` is no option; there are "
                        + "KEY=VALUE of " + OPTIONS);
            }
            if (!option.isEmpty()) {
                String value = option.substring(equals + 1);
                settings.setProperty(key, key.endsWith("clude") ? value.replace(':', ',') : value);
            }
        }
        unpack(settings);
        return settings;
    }

    private static void unpack(Properties settings) throws IOException {
        Path folder = Files.createTempDirectory("wattline-agent");
        folder.toFile().deleteOnExit();
        List<String> jars = new ArrayList<>();
        try (InputStream list = Agent.class.getResourceAsStream(JARS)) {
            for (String name : new String(list.readAllBytes(), "UTF-8").trim().split("\n")) {
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

    private static synchronized void open(Properties settings, Instrumentation instrumentation)
            throws Exception {
        if (service == null) {
            JarFile probe = new JarFile(settings.getProperty("probe"));
            instrumentation.appendToBootstrapClassLoaderSearch(probe);
            String[] jars = settings.getProperty("service").split(File.pathSeparator);
            URL[] urls = new URL[jars.length];
            for (int i = 0; i < jars.length; i++) {
                urls[i] = new File(jars[i]).toURI().toURL();
            }
            ClassLoader loader = new URLClassLoader("wattline-monitor", urls, null);
            service = Class.forName("wattline.monitor.service.Service", true, loader)
                    .getConstructor(Instrumentation.class).newInstance(instrumentation);
        }
        service.getClass().getMethod("open", Properties.class).invoke(service, settings);
    }
}

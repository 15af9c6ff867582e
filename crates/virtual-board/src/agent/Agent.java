package wattline.simulation;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Properties;

/**
 * Starts the counting of a JVM that the virtual board runs.
 *
 * The weaver and ASM live in a class loader of their own, so that they can't clash
 * with the application's classes; only Agent and Meter are on its class path.
 */
public final class Agent {
    private Agent() {
    }

    /** The argument is the path of the configuration, a properties file. */
    public static void premain(String configuration, Instrumentation instrumentation) throws Exception {
        Properties settings = read(configuration);
        String folder = settings.getProperty("session");
        ClassFileTransformer weaver = weaver(settings);
        Meter.start(folder, settings, weaver);
        if (settings.containsKey("hot")) {
            Tiers.start(settings, weaver);
        }
        instrumentation.addTransformer(weaver);
    }

    private static Properties read(String configuration) throws IOException {
        Properties settings = new Properties();
        try (InputStream in = new FileInputStream(configuration)) {
            settings.load(in);
        }
        return settings;
    }

    private static ClassFileTransformer weaver(Properties settings) throws Exception {
        String[] jars = settings.getProperty("weaver").split(File.pathSeparator);
        URL[] urls = new URL[jars.length];
        for (int i = 0; i < jars.length; i++) {
            urls[i] = new File(jars[i]).toURI().toURL();
        }
        ClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
        String application = settings.getProperty("application", "");
        if (application.isEmpty()) {
            application = System.getProperty("java.class.path");
        }
        return (ClassFileTransformer) Class.forName("wattline.simulation.weaver.Weaver", true, loader)
                .getConstructor(Properties.class, String.class, int.class, int.class)
                .newInstance(settings, application, Meter.ROOM, Tiers.METHODS);
    }
}

package wattline.monitor.agent;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Properties;
import java.util.jar.JarFile;

/**
 * The way in: at the start of a JVM or into a running one. The argument is the path of a
 * properties file.
 *
 * The probe goes to the bootstrap class loader, where every class can call it; everything
 * else, and ASM, lives in a class loader of its own, so that it can't clash with the
 * application's classes. Only this class is on the application's class path.
 */
public final class Agent {
    private static Object service;

    private Agent() {
    }

    /** With the application. */
    public static void premain(String file, Instrumentation instrumentation) throws Exception {
        open(settings(file), instrumentation);
    }

    /** Into a running one; a second time it only gets other settings. */
    public static void agentmain(String file, Instrumentation instrumentation) throws Exception {
        Properties settings = settings(file);
        settings.setProperty("running", "yes");
        open(settings, instrumentation);
    }

    private static Properties settings(String file) throws IOException {
        Properties settings = new Properties();
        try (InputStream in = new FileInputStream(file)) {
            settings.load(in);
        }
        return settings;
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

package wattline.bytecode.agent;

import java.io.File;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.jar.JarFile;

/**
 * The way in, at the start of a JVM. The argument is the file for the counts; the jars of the probe
 * and of the service come by system properties. The probe goes to the bootstrap class loader, where
 * every class can call it; the rest, and ASM, lives in a class loader of its own, so that it can't
 * clash with the application's classes.
 */
public final class Agent {
    private Agent() {
    }

    public static void premain(String file, Instrumentation instrumentation) throws Exception {
        instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(System.getProperty("wattline.bytecode.probe")));
        String[] jars = System.getProperty("wattline.bytecode.service").split(File.pathSeparator);
        URL[] urls = new URL[jars.length];
        for (int i = 0; i < jars.length; i++) {
            urls[i] = new File(jars[i]).toURI().toURL();
        }
        ClassLoader loader = new URLClassLoader(urls, null);
        Object counter = Class.forName("BytecodeCounter", true, loader).getConstructor(String.class).newInstance(file);
        instrumentation.addTransformer((ClassFileTransformer) counter);
        Runtime.getRuntime().addShutdownHook(new Thread((Runnable) counter));
    }
}

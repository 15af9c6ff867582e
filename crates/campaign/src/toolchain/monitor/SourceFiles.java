package wattline.monitor.service;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Opcodes;

/** The source files of loaded classes, as their class files name them. */
final class SourceFiles {
    private final Instrumentation instrumentation;
    private final Map<String, WeakReference<Class<?>>> loaded = new HashMap<>();
    private final Map<String, String> known = new HashMap<>();

    SourceFiles(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
    }

    /** The name without folder of the file of a class; null where nothing names one. */
    String of(String owner) {
        if (!known.containsKey(owner)) {
            Class<?> found = find(owner);
            known.put(owner, found == null ? null : read(found));
        }
        return known.get(owner);
    }

    private Class<?> find(String owner) {
        if (!loaded.containsKey(owner)) {
            for (Class<?> one : instrumentation.getAllLoadedClasses()) {
                loaded.put(one.getName(), new WeakReference<>(one));
            }
        }
        WeakReference<Class<?>> found = loaded.get(owner);
        return found == null ? null : found.get();
    }

    private static String read(Class<?> type) {
        String[] file = {null};
        try (InputStream in = type.getResourceAsStream('/' + type.getName().replace('.', '/') + ".class")) {
            if (in != null) {
                new ClassReader(in).accept(new ClassVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitSource(String source, String debug) {
                        file[0] = source;
                    }
                }, ClassReader.SKIP_CODE);
            }
        } catch (IOException | RuntimeException unreadable) {
            return null; // made at run time, or of a later release than ASM knows
        }
        return file[0];
    }
}

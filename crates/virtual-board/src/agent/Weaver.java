package wattline.silicon.weaver;

import java.io.Flushable;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InnerClassNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Puts counters into the application's classes as they are loaded. No field, method,
 * branch or frame is added. A class that can't be woven stays as it is, with a
 * message: its own code then costs nothing.
 */
public final class Weaver implements ClassFileTransformer, Flushable, IntSupplier {
    /** How a method is woven: with inline counters, by calls (shorter), or not at all. */
    enum Form { INLINE, CALLS, NOT }

    private final MapFile map;
    private final Hierarchy hierarchy;
    private final Units units;
    private final int room;
    private int used;

    /** In a session's folder, for the classes of these jars and folders, with this many counters. */
    public Weaver(String folder, String application, int room) throws IOException {
        this.map = new MapFile(folder + "/map.txt");
        this.hierarchy = new Hierarchy(application);
        hierarchy.checkReadable();
        this.units = new Units(folder + "/units.txt");
        this.room = room;
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (loader == null || name == null || redefined != null || !hierarchy.isApplication(name)) {
            return null;
        }
        try {
            return weave(name, new ClassReader(bytes));
        } catch (RuntimeException | Error e) {
            System.err.println("wattline: " + name + " is not counted: " + e);
            return null;
        }
    }

    private synchronized byte[] weave(String name, ClassReader reader) {
        hierarchy.learn(name, reader);
        Map<String, Form> forms = new HashMap<>();
        while (true) {
            try {
                return attempt(reader, forms);
            } catch (MethodTooLargeException e) {
                String method = e.getMethodName() + e.getDescriptor();
                forms.put(method, forms.containsKey(method) ? Form.NOT : Form.CALLS);
            }
        }
    }

    private byte[] attempt(ClassReader reader, Map<String, Form> forms) {
        ClassNode node = new ClassNode();
        reader.accept(node, 0);
        StringBuilder lines = new StringBuilder();
        describe(node, lines);
        int next = used;
        for (MethodNode method : node.methods) {
            Form form = forms.get(method.name + method.desc);
            if (Calls.isHousekeeping(node.name)) {
                Calls.redirect(method);
            } else if (form == Form.NOT) {
                System.err.println("wattline: " + node.name + "." + method.name + " is too large to be counted");
            } else if (method.instructions.size() > 0) {
                next = new MethodWeaver(map, hierarchy, units, lines, next, form == Form.CALLS).weave(method);
            }
        }
        if (next > room) {
            throw new IllegalStateException("no room for more than " + room + " counters");
        }
        ClassWriter writer = new ClassWriter(0);
        node.accept(writer);
        byte[] woven = writer.toByteArray();
        used = next;
        map.append(lines);
        return woven;
    }

    private static void describe(ClassNode node, StringBuilder lines) {
        String outer = "-";
        String kind = (node.access & Opcodes.ACC_ENUM) != 0 ? "enum" : "plain";
        for (InnerClassNode inner : node.innerClasses) {
            if (inner.name.equals(node.name)) {
                outer = inner.outerName == null ? "-" : inner.outerName.replace('/', '.');
                if (kind.equals("plain") && (inner.access & Opcodes.ACC_STATIC) == 0) {
                    kind = "inner";
                }
            }
        }
        lines.append("class\t").append(node.name.replace('/', '.')).append('\t')
                .append(node.sourceFile == null ? "-" : node.sourceFile).append('\t')
                .append(outer).append('\t').append(kind).append('\n');
    }

    @Override
    public void flush() throws IOException {
        map.flush();
    }

    /** How many counters are in use. */
    @Override
    public synchronized int getAsInt() {
        return used;
    }
}

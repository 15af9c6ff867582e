package wattline.simulation.weaver;

import java.io.Flushable;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;
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
public final class Weaver
        implements ClassFileTransformer, Flushable, IntSupplier, IntFunction<int[]>, IntUnaryOperator, Consumer<String> {
    /** How a method is woven: with inline counters, by calls (shorter), or not at all. */
    enum Form { INLINE, CALLS, NOT }

    private final MapFile map;
    private final Hierarchy hierarchy;
    private final Units units;
    private final int room;
    private final int most;
    /** What small methods write, which the compiled chip wants to know; null on the additive one. */
    private final Effects effects;
    /** The compiled chip's methods by number, from 1, as they describe themselves. */
    private final List<int[]> methods = new ArrayList<>();
    /** The first counter is nobody's: where counters are named, 0 is none. */
    private int used;

    /** For a session, for the classes of these jars and folders, with so many counters and methods. */
    public Weaver(Properties settings, String application, int room, int most) throws IOException {
        String folder = settings.getProperty("session");
        String small = settings.getProperty("small");
        this.most = most;
        this.map = new MapFile(folder + "/map.txt");
        this.hierarchy = new Hierarchy(application);
        hierarchy.checkReadable();
        this.units = new Units(folder + "/units.txt");
        this.room = room;
        this.effects = small == null ? null : new Effects(hierarchy, Integer.parseInt(small));
        if (effects != null) {
            used = 1;
            methods.add(null);
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (loader == null || name == null || redefined != null || !hierarchy.isApplication(name)) {
            return null;
        }
        try {
            return weave(name, new ClassReader(bytes));
        } catch (IOException | RuntimeException | Error e) {
            System.err.println("wattline: " + name + " is not counted: " + e);
            return hierarchy.isMarked(name) ? unmarked(bytes) : null;
        }
    }

    /** The class as it was before its blocks were marked. */
    private static byte[] unmarked(byte[] bytes) {
        ClassNode node = new ClassNode();
        new ClassReader(bytes).accept(node, 0);
        Marks.strip(node);
        ClassWriter writer = new ClassWriter(0);
        node.accept(writer);
        return writer.toByteArray();
    }

    private synchronized byte[] weave(String name, ClassReader reader) throws IOException {
        hierarchy.learn(name, reader);
        // What a compiler makes of a block is the compiled chip's, whatever it was before.
        Marks marks = effects == null ? hierarchy.marks(name) : null;
        Map<String, Form> forms = new HashMap<>();
        while (true) {
            try {
                return attempt(reader, forms, marks);
            } catch (MethodTooLargeException e) {
                String method = e.getMethodName() + e.getDescriptor();
                forms.put(method, forms.containsKey(method) ? Form.NOT : Form.CALLS);
            }
        }
    }

    private byte[] attempt(ClassReader reader, Map<String, Form> forms, Marks marks) {
        ClassNode node = new ClassNode();
        reader.accept(node, effects == null ? 0 : ClassReader.EXPAND_FRAMES);
        boolean isHousekeeping = Calls.isHousekeeping(node.name);
        if (marks == null || isHousekeeping) {
            Marks.strip(node);
        }
        StringBuilder lines = new StringBuilder();
        describe(node, lines);
        int next = used;
        List<int[]> made = new ArrayList<>();
        for (MethodNode method : node.methods) {
            Form form = forms.get(method.name + method.desc);
            if (isHousekeeping) {
                Calls.redirect(method);
            } else if (form == Form.NOT) {
                Marks.strip(method);
                System.err.println("wattline: " + node.name + "." + method.name + " is too large to be counted");
            } else if (method.instructions.size() > 0) {
                boolean byCalls = form == Form.CALLS;
                if (effects == null) {
                    next = new MethodWeaver(map, hierarchy, units, lines, next, byCalls, marks).weave(method);
                } else {
                    CompiledWeaver weaver = new CompiledWeaver(map, hierarchy, units, lines, next, byCalls,
                            node.name, methods.size() + made.size(), effects);
                    next = weaver.weave(method);
                    made.add(weaver.description());
                }
            }
        }
        if (next > room || methods.size() + made.size() > most) {
            throw new IllegalStateException("no room for more than " + room + " counters and " + most + " methods");
        }
        ClassWriter writer = new ClassWriter(0);
        node.accept(writer);
        byte[] woven = writer.toByteArray();
        used = next;
        methods.addAll(made);
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

    /** What the compiled chip's runtime asks of a method. */
    @Override
    public synchronized int[] apply(int method) {
        return methods.get(method);
    }

    /** The first of so many new counters, or -1 when there is no room. */
    @Override
    public synchronized int applyAsInt(int counters) {
        if (counters > room - used) {
            return -1;
        }
        int first = used;
        used += counters;
        return first;
    }

    /** A line for the map. */
    @Override
    public void accept(String text) {
        map.append(text);
    }

    /** How many counters are in use. */
    @Override
    public synchronized int getAsInt() {
        return used;
    }
}

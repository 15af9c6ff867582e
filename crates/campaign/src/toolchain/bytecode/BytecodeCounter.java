import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.lang.instrument.ClassFileTransformer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import wattline.bytecode.probe.Counters;

/**
 * Counts how often each instruction of the application's classes is executed, exactly: a counter
 * for each run of instructions that are executed one after the other, which ends at a jump, before
 * the target of one, and after each instruction that can throw an exception. When the JVM ends, it
 * writes for each method of a loaded class, with fields between tabs:
 *
 * <pre>
 * method class CLASS NAME DESCRIPTOR
 * instruction NAME OPERAND TARGET EXECUTIONS
 * uncounted CLASS NAME REASON               a method or, with -, a class that has no counters
 * </pre>
 */
public final class BytecodeCounter implements ClassFileTransformer, Runnable, Opcodes {
    private static final String PROBE = "wattline/bytecode/probe/Counters";

    private final Path file;
    private final ClassLoader platform = ClassLoader.getPlatformClassLoader();
    private final List<Counted> methods = new ArrayList<>();
    private final StringBuilder uncounted = new StringBuilder();
    private int used;

    /** A method: its lines without executions, and the counter of each of its instructions. */
    private static final class Counted {
        String head;
        final List<String> lines = new ArrayList<>();
        final List<Integer> counters = new ArrayList<>();
    }

    public BytecodeCounter(String file) {
        this.file = Paths.get(file).toAbsolutePath();
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (loader == null || loader == platform || loader == getClass().getClassLoader() || redefined != null) {
            return null;
        }
        try {
            return count(bytes);
        } catch (RuntimeException | Error problem) {
            leaveOut(String.valueOf(name).replace('/', '.'), "-", problem);
            return null;
        }
    }

    private synchronized void leaveOut(String name, String method, Throwable problem) {
        uncounted.append("uncounted\t").append(ClassCode.plain(name)).append('\t').append(ClassCode.plain(method))
                .append('\t').append(ClassCode.plain(String.valueOf(problem))).append('\n');
    }

    private synchronized byte[] count(byte[] bytes) {
        Set<String> tooLarge = new HashSet<>();
        while (true) {
            try {
                return attempt(bytes, tooLarge);
            } catch (MethodTooLargeException large) {
                if (!tooLarge.add(large.getMethodName() + large.getDescriptor())) {
                    throw large;
                }
            }
        }
    }

    private byte[] attempt(byte[] bytes, Set<String> tooLarge) {
        ClassNode node = new ClassNode();
        new ClassReader(bytes).accept(node, 0);
        List<Counted> made = new ArrayList<>();
        int next = used;
        for (MethodNode method : node.methods) {
            if (method.instructions.size() > 0 && !tooLarge.contains(method.name + method.desc)) {
                Counted counted = new Counted();
                counted.head = ClassCode.head(node, method);
                next = weave(method, counted, next);
                made.add(counted);
            }
        }
        if (!Counters.reserve(next)) {
            throw new IllegalStateException("no room for more counters");
        }
        ClassWriter writer = new ClassWriter(0);
        node.accept(writer);
        byte[] woven = writer.toByteArray();
        used = next;
        methods.addAll(made);
        for (MethodNode method : node.methods) {
            if (tooLarge.contains(method.name + method.desc)) {
                leaveOut(node.name.replace('/', '.'), method.name, new IllegalStateException("it is too large"));
            }
        }
        return woven;
    }

    private int weave(MethodNode method, Counted counted, int first) {
        Set<LabelNode> targets = targets(method);
        Map<AbstractInsnNode, Integer> places = ClassCode.places(method);
        InsnList code = method.instructions;
        int next = first;
        boolean begins = true;
        for (AbstractInsnNode one : code.toArray()) {
            if (one instanceof LabelNode) {
                begins |= targets.contains(one);
                continue;
            }
            if (one.getOpcode() < 0) {
                continue;
            }
            counted.lines.add(ClassCode.line(one, places));
            if (begins) {
                InsnList hit = hit(next++);
                if (one.getOpcode() == NEW) {
                    // A frame names the place of the new instruction: nothing may come between.
                    code.insert(one, hit);
                } else {
                    code.insertBefore(one, hit);
                }
            }
            counted.counters.add(next - 1);
            begins = endsRun(one.getOpcode());
        }
        method.maxStack++;
        return next;
    }

    private static InsnList hit(int counter) {
        InsnList list = new InsnList();
        list.add(counter <= Short.MAX_VALUE ? new IntInsnNode(SIPUSH, counter) : new LdcInsnNode(counter));
        list.add(new MethodInsnNode(INVOKESTATIC, PROBE, "hit", "(I)V", false));
        return list;
    }

    private static Set<LabelNode> targets(MethodNode method) {
        Set<LabelNode> targets = new HashSet<>();
        for (AbstractInsnNode one : method.instructions) {
            if (one instanceof JumpInsnNode) {
                targets.add(((JumpInsnNode) one).label);
            } else if (one instanceof TableSwitchInsnNode) {
                targets.addAll(((TableSwitchInsnNode) one).labels);
                targets.add(((TableSwitchInsnNode) one).dflt);
            } else if (one instanceof LookupSwitchInsnNode) {
                targets.addAll(((LookupSwitchInsnNode) one).labels);
                targets.add(((LookupSwitchInsnNode) one).dflt);
            }
        }
        for (TryCatchBlockNode block : method.tryCatchBlocks) {
            targets.add(block.handler);
        }
        return targets;
    }

    /** Whether something else than the next instruction may follow: a jump, or an exception. */
    private static boolean endsRun(int opcode) {
        boolean jumps = opcode >= IFEQ && opcode <= RETURN || opcode == IFNULL || opcode == IFNONNULL;
        boolean divides = opcode == IDIV || opcode == LDIV || opcode == IREM || opcode == LREM;
        boolean elements = opcode >= IALOAD && opcode <= SALOAD || opcode >= IASTORE && opcode <= SASTORE;
        boolean members = opcode >= GETSTATIC && opcode <= MONITOREXIT;
        return jumps || divides || elements || members || opcode == MULTIANEWARRAY || opcode == LDC;
    }

    /** Writes the counts, whole or not at all. */
    @Override
    public synchronized void run() {
        Path half = file.resolveSibling(file.getFileName() + ".half");
        try (Writer out = Files.newBufferedWriter(half, StandardCharsets.UTF_8)) {
            for (Counted method : methods) {
                out.write(method.head);
                for (int i = 0; i < method.lines.size(); i++) {
                    out.write(method.lines.get(i) + "\t" + Counters.count(method.counters.get(i)) + "\n");
                }
            }
            out.append(uncounted);
            out.close();
            Files.move(half, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | RuntimeException problem) {
            PrintStream err = System.err;
            err.println("wattline: the counts can't be written: " + problem);
        }
    }
}

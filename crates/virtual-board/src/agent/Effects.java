package wattline.simulation.weaver;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** What calls may write to memory, as far as a compiler that inlines small methods sees. */
final class Effects implements Opcodes {
    private static final String[] ELEMENTS = {
        "int[]", "long[]", "float[]", "double[]", "Object[]", "byte[]", "char[]", "short[]"};
    /** How deep calls are looked into. */
    private static final int DEPTH = 3;

    private final Hierarchy hierarchy;
    private final int small;
    private final Map<String, Members> classes = new HashMap<>();

    /** What a class declares. */
    private static final class Members {
        final Map<String, MethodNode> methods = new HashMap<>();
        /** Of each field, by its name, whether it is volatile. */
        final Map<String, Boolean> fields = new HashMap<>();
    }

    /** Fields and types of arrays that are written; or anything. */
    static final class Writes {
        private final Set<String> places = new HashSet<>();
        private boolean anything;

        boolean has(String place) {
            return anything || places.contains(place);
        }

        void add(Writes other) {
            anything |= other.anything;
            places.addAll(other.places);
        }

        private void add(AbstractInsnNode node) {
            int opcode = node.getOpcode();
            if (opcode == PUTFIELD || opcode == PUTSTATIC) {
                places.add(field((FieldInsnNode) node));
            } else if (opcode >= IASTORE && opcode <= SASTORE) {
                places.add(elements(opcode - IASTORE));
            } else if (opcode == MONITORENTER || opcode == MONITOREXIT || node instanceof InvokeDynamicInsnNode) {
                anything = true;
            }
        }
    }

    /** Methods of at most so many instructions are looked into. */
    Effects(Hierarchy hierarchy, int small) {
        this.hierarchy = hierarchy;
        this.small = small;
    }

    static String field(FieldInsnNode node) {
        return node.owner + '.' + node.name;
    }

    /** The type of an array by its opcodes' order: int, long, float, double, reference, byte, char, short. */
    static String elements(int index) {
        return ELEMENTS[index];
    }

    Writes of(MethodInsnNode call) {
        return of(call, DEPTH);
    }

    /**
     * Adds what an instruction, other than a call, may change. After a volatile field was read,
     * nothing that was read before may be taken for what is there now (JLS 17.4).
     */
    void add(Writes writes, AbstractInsnNode node) {
        if (node instanceof FieldInsnNode && isVolatile((FieldInsnNode) node)) {
            writes.anything = true;
        } else {
            writes.add(node);
        }
    }

    private Writes of(MethodInsnNode call, int depth) {
        Writes writes = new Writes();
        if (call.owner.equals("java/lang/Math") || call.owner.equals("java/lang/StrictMath")
                || call.owner.equals("java/lang/Object") && call.name.equals("<init>")) {
            return writes;
        }
        MethodNode method = depth == 0 || call.getOpcode() == INVOKEINTERFACE ? null : find(call.owner, call.name + call.desc);
        if (method == null || size(method) == 0 || size(method) > small) {
            writes.anything = true;
            return writes;
        }
        for (AbstractInsnNode node : method.instructions) {
            if (node instanceof MethodInsnNode) {
                writes.add(of((MethodInsnNode) node, depth - 1));
            } else {
                add(writes, node);
            }
        }
        return writes;
    }

    /** Instructions of a method. */
    static int size(MethodNode method) {
        int size = 0;
        for (AbstractInsnNode node : method.instructions) {
            size += node.getOpcode() >= 0 ? 1 : 0;
        }
        return size;
    }

    private MethodNode find(String owner, String method) {
        for (String at = owner; at != null && hierarchy.isApplication(at); at = hierarchy.parent(at)) {
            MethodNode found = members(at).methods.get(method);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Of a field that no class of the application declares nothing is known. */
    private boolean isVolatile(FieldInsnNode access) {
        for (String at = access.owner; at != null && hierarchy.isApplication(at); at = hierarchy.parent(at)) {
            Boolean found = members(at).fields.get(access.name);
            if (found != null) {
                return found;
            }
        }
        return false;
    }

    private Members members(String owner) {
        Members known = classes.get(owner);
        if (known == null) {
            known = new Members();
            ClassNode node = hierarchy.code(owner);
            if (node != null) {
                for (MethodNode method : node.methods) {
                    known.methods.put(method.name + method.desc, method);
                }
                for (FieldNode field : node.fields) {
                    known.fields.put(field.name, (field.access & ACC_VOLATILE) != 0);
                }
            }
            classes.put(owner, known);
        }
        return known;
    }
}

package wattline.simulation.weaver;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * What tells a block from others: its class, its method and its instructions. Local variables
 * go by the order in which the block uses them, and jumps have no targets, so that a block
 * stays what it is when code before or after it changes.
 */
final class PlaceText implements Opcodes {
    /** The FNV-1a hash of 64 bits. */
    private static final long BASIS = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private final long method;
    private final List<Integer> locals = new ArrayList<>();
    private long hash;

    PlaceText(String owner, MethodNode node) {
        method = hash(BASIS, owner + '.' + unnumbered(node.name) + node.desc);
        hash = method;
    }

    /** The compiler numbers the bodies of lambdas; others may come or go. */
    private static String unnumbered(String name) {
        return name.startsWith("lambda$") ? name.substring(0, name.lastIndexOf('$')) : name;
    }

    private static long hash(long start, String text) {
        long hash = start;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * PRIME;
        }
        return hash;
    }

    /** The block's hash; the next one begins. */
    long end() {
        long ended = hash;
        hash = method;
        locals.clear();
        return ended;
    }

    void add(AbstractInsnNode node) {
        hash = hash(hash, node.getOpcode() + operand(node) + '\n');
    }

    private String operand(AbstractInsnNode node) {
        if (node instanceof VarInsnNode) {
            return "v" + local(((VarInsnNode) node).var);
        }
        if (node instanceof IincInsnNode) {
            return "v" + local(((IincInsnNode) node).var) + '+' + ((IincInsnNode) node).incr;
        }
        if (node instanceof FieldInsnNode) {
            FieldInsnNode field = (FieldInsnNode) node;
            return field.owner + '.' + field.name + field.desc;
        }
        if (node instanceof MethodInsnNode) {
            MethodInsnNode call = (MethodInsnNode) node;
            return call.owner + '.' + unnumbered(call.name) + call.desc;
        }
        return constant(node);
    }

    private int local(int local) {
        if (!locals.contains(local)) {
            locals.add(local);
        }
        return locals.indexOf(local);
    }

    private static String constant(AbstractInsnNode node) {
        if (node instanceof LdcInsnNode) {
            return ((LdcInsnNode) node).cst.toString();
        }
        if (node instanceof IntInsnNode) {
            return Integer.toString(((IntInsnNode) node).operand);
        }
        if (node instanceof TypeInsnNode) {
            return ((TypeInsnNode) node).desc;
        }
        if (node instanceof MultiANewArrayInsnNode) {
            return ((MultiANewArrayInsnNode) node).desc + ((MultiANewArrayInsnNode) node).dims;
        }
        if (node instanceof InvokeDynamicInsnNode) {
            return ((InvokeDynamicInsnNode) node).name + ((InvokeDynamicInsnNode) node).desc;
        }
        if (node instanceof TableSwitchInsnNode) {
            return ((TableSwitchInsnNode) node).min + ".." + ((TableSwitchInsnNode) node).max;
        }
        return node instanceof LookupSwitchInsnNode ? ((LookupSwitchInsnNode) node).keys.toString() : "";
    }
}

package wattline.simulation.weaver;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;

/** Where control goes, and code that runs only when it goes one way. */
final class Edges implements Opcodes {
    private Edges() {
    }

    /** Where an instruction may jump to. */
    static List<LabelNode> targets(AbstractInsnNode node) {
        if (node instanceof JumpInsnNode) {
            return Collections.singletonList(((JumpInsnNode) node).label);
        }
        List<LabelNode> targets = new ArrayList<>();
        if (node instanceof TableSwitchInsnNode) {
            targets.addAll(((TableSwitchInsnNode) node).labels);
            targets.add(((TableSwitchInsnNode) node).dflt);
        } else if (node instanceof LookupSwitchInsnNode) {
            targets.addAll(((LookupSwitchInsnNode) node).labels);
            targets.add(((LookupSwitchInsnNode) node).dflt);
        }
        return targets;
    }

    /** Whether control goes on from an instruction to the next. */
    static boolean fallsThrough(AbstractInsnNode node) {
        int opcode = node.getOpcode();
        return !(opcode == GOTO || opcode == ATHROW || opcode >= TABLESWITCH && opcode <= RETURN || opcode == RET);
    }

    /** Has code run when an instruction jumps to a target: at the method's end, with the target's frame. */
    static void onJump(MethodNode method, AbstractInsnNode jump, LabelNode target, InsnList added) {
        if (jump.getOpcode() == GOTO) {
            method.instructions.insertBefore(jump, added);
            return;
        }
        LabelNode detour = new LabelNode();
        FrameNode frame = frame(target);
        method.instructions.add(detour);
        if (frame != null) {
            method.instructions.add(new FrameNode(F_NEW, frame.local.size(), frame.local.toArray(),
                    frame.stack.size(), frame.stack.toArray()));
        }
        method.instructions.add(added);
        method.instructions.add(new JumpInsnNode(GOTO, target));
        redirect(jump, target, detour);
    }

    private static FrameNode frame(LabelNode label) {
        AbstractInsnNode node = label;
        while (node != null && node.getOpcode() < 0) {
            if (node instanceof FrameNode) {
                return (FrameNode) node;
            }
            node = node.getNext();
        }
        return null;
    }

    private static void redirect(AbstractInsnNode jump, LabelNode from, LabelNode to) {
        if (jump instanceof JumpInsnNode) {
            ((JumpInsnNode) jump).label = to;
        } else if (jump instanceof TableSwitchInsnNode) {
            TableSwitchInsnNode table = (TableSwitchInsnNode) jump;
            Collections.replaceAll(table.labels, from, to);
            table.dflt = table.dflt == from ? to : table.dflt;
        } else if (jump instanceof LookupSwitchInsnNode) {
            LookupSwitchInsnNode lookup = (LookupSwitchInsnNode) jump;
            Collections.replaceAll(lookup.labels, from, to);
            lookup.dflt = lookup.dflt == from ? to : lookup.dflt;
        }
    }

    /** Gives every frame one more local variable, an int after all others. */
    static void widen(MethodNode method, int local) {
        for (AbstractInsnNode node : method.instructions.toArray()) {
            if (node instanceof FrameNode) {
                FrameNode frame = (FrameNode) node;
                List<Object> locals = new ArrayList<>(frame.local == null ? Collections.emptyList() : frame.local);
                int words = 0;
                for (Object one : locals) {
                    words += one == LONG || one == DOUBLE ? 2 : 1;
                }
                for (; words < local; words++) {
                    locals.add(TOP);
                }
                locals.add(INTEGER);
                frame.local = locals;
            }
        }
    }
}

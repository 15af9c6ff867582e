package wattline.simulation.weaver;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * The loops of a method, and what a compiler moves out of them: loads of what a loop does
 * not change, and checks of indices that count.
 *
 * A loop is what lies between the target of a jump backwards and the jump. What it calls
 * may change anything, unless it is small and calls nothing itself.
 */
final class Loops implements Opcodes {
    /** How far before a comparison its operands are looked for. */
    private static final int COMPARISON = 5;

    private final MethodNode method;
    private final Effects effects;
    private final Set<AbstractInsnNode> leaders;
    private final List<Loop> loops = new ArrayList<>();
    private final Map<AbstractInsnNode, Integer> places = new HashMap<>();
    private final Map<AbstractInsnNode, Loop> moved = new HashMap<>();
    private final Set<AbstractInsnNode> unchecked = new HashSet<>();

    /** A loop, by the places of its first and last instruction. */
    static final class Loop implements Comparable<Loop> {
        final LabelNode head;
        final int start;
        int end;
        /** What is moved before it, and what places it comes from. */
        final Items moved = new Items();
        long hash;
        private final Set<Integer> stores = new HashSet<>();
        private final Set<Integer> steps = new HashSet<>();
        private final Set<Integer> compared = new HashSet<>();
        private final Effects.Writes writes = new Effects.Writes();

        Loop(LabelNode head, int start, int end) {
            this.head = head;
            this.start = start;
            this.end = end;
        }

        /** Outer loops before those in them. */
        @Override
        public int compareTo(Loop other) {
            return start == other.start ? Integer.compare(other.end, end) : Integer.compare(start, other.start);
        }

        boolean holds(int place) {
            return start <= place && place <= end;
        }

        private boolean changes(int local) {
            return stores.contains(local) || steps.contains(local);
        }

        private boolean counts(int local) {
            return !stores.contains(local) && steps.contains(local) && compared.contains(local);
        }
    }

    Loops(MethodNode method, Effects effects, Set<AbstractInsnNode> leaders) {
        this.method = method;
        this.effects = effects;
        this.leaders = leaders;
        int place = 0;
        for (AbstractInsnNode node : method.instructions.toArray()) {
            places.put(node, place++);
        }
        find();
        for (Loop loop : loops) {
            scan(loop);
        }
        if (!loops.isEmpty()) {
            judge();
        }
    }

    List<Loop> all() {
        return loops;
    }

    /** Where an instruction stood before any was inserted; -1 for those that were. */
    int place(AbstractInsnNode node) {
        Integer place = places.get(node);
        return place == null ? -1 : place;
    }

    /** Whether a turn of a loop begins at a label. */
    boolean isHead(LabelNode label) {
        LabelNode first = first(label);
        for (Loop loop : loops) {
            if (loop.head == first) {
                return true;
            }
        }
        return false;
    }

    private void find() {
        Map<LabelNode, Loop> byHead = new HashMap<>();
        for (AbstractInsnNode node : method.instructions.toArray()) {
            for (LabelNode target : Edges.targets(node)) {
                int end = places.get(node);
                if (places.get(target) < end) {
                    LabelNode first = first(target);
                    Loop loop = byHead.get(first);
                    if (loop == null) {
                        loop = new Loop(first, places.get(first), end);
                        byHead.put(first, loop);
                    }
                    loop.end = Math.max(loop.end, end);
                }
            }
        }
        loops.addAll(byHead.values());
        Collections.sort(loops);
    }

    /** The first of the labels that name the same instruction. */
    private static LabelNode first(LabelNode label) {
        LabelNode first = label;
        AbstractInsnNode node = label;
        while (node != null && node.getOpcode() < 0) {
            first = node instanceof LabelNode ? (LabelNode) node : first;
            node = node.getPrevious();
        }
        return first;
    }

    private void scan(Loop loop) {
        AbstractInsnNode last = method.instructions.get(loop.end);
        for (AbstractInsnNode node = loop.head; node != last.getNext(); node = node.getNext()) {
            int opcode = node.getOpcode();
            if (opcode >= ISTORE && opcode <= ASTORE) {
                loop.stores.add(((VarInsnNode) node).var);
            } else if (opcode == IINC) {
                IincInsnNode step = (IincInsnNode) node;
                // What steps twice, or backwards, is as good as stored.
                (step.incr > 0 && loop.steps.add(step.var) ? loop.steps : loop.stores).add(step.var);
            } else if (opcode >= IF_ICMPEQ && opcode <= IF_ICMPLE && node instanceof JumpInsnNode) {
                compared(loop, node);
            } else if (node instanceof MethodInsnNode) {
                loop.writes.add(effects.of((MethodInsnNode) node));
            } else {
                effects.add(loop.writes, node);
            }
        }
    }

    private void compared(Loop loop, AbstractInsnNode jump) {
        AbstractInsnNode node = jump;
        for (int i = 0; i < COMPARISON && node != null; i++) {
            node = before(node);
            if (node != null && node.getOpcode() == ILOAD) {
                loop.compared.add(((VarInsnNode) node).var);
            }
        }
    }

    /** All answers are given before anything is inserted. */
    private void judge() {
        for (AbstractInsnNode node : method.instructions.toArray()) {
            int opcode = node.getOpcode();
            if (opcode >= IALOAD && opcode <= SALOAD || opcode >= IASTORE && opcode <= SASTORE) {
                if (counts(node)) {
                    unchecked.add(node);
                }
            }
            if (opcode >= IALOAD && opcode <= SALOAD || opcode == GETFIELD || opcode == GETSTATIC || opcode == ARRAYLENGTH) {
                Loop loop = outermost(node);
                if (loop != null) {
                    moved.put(node, loop);
                }
            }
        }
    }

    /** The loop that a load is moved out of, or null. */
    Loop outOf(AbstractInsnNode load) {
        return moved.get(load);
    }

    /** Whether the index of an array's element counts from turn to turn, up to a bound. */
    boolean isUnchecked(AbstractInsnNode access) {
        return unchecked.contains(access);
    }

    private Loop outermost(AbstractInsnNode load) {
        int place = places.get(load);
        for (Loop loop : loops) {
            if (loop.holds(place) && isInvariant(loop, load)) {
                return loop;
            }
        }
        return null;
    }

    private boolean isInvariant(Loop loop, AbstractInsnNode node) {
        int opcode = node.getOpcode();
        if (opcode == GETSTATIC || opcode == GETFIELD) {
            return !loop.writes.has(Effects.field((FieldInsnNode) node))
                    && (opcode == GETSTATIC || isFixed(loop, before(node)));
        }
        if (opcode == ARRAYLENGTH) {
            return isFixed(loop, before(node));
        }
        if (opcode < IALOAD || opcode > SALOAD || loop.writes.has(Effects.elements(opcode - IALOAD))) {
            return false;
        }
        AbstractInsnNode index = before(node);
        boolean constant = Layout.constant(index) != null;
        boolean local = index != null && index.getOpcode() == ILOAD && !loop.changes(((VarInsnNode) index).var);
        return (constant || local) && isFixed(loop, before(index));
    }

    /** Whether an instruction gives the same reference in each turn. */
    private boolean isFixed(Loop loop, AbstractInsnNode node) {
        if (node == null || !loop.holds(places.get(node))) {
            return false;
        }
        int opcode = node.getOpcode();
        if (opcode == ALOAD) {
            return !loop.changes(((VarInsnNode) node).var);
        }
        return (opcode == GETFIELD || opcode == GETSTATIC || opcode == AALOAD) && isInvariant(loop, node);
    }

    private boolean counts(AbstractInsnNode access) {
        AbstractInsnNode index = index(access);
        if (index == null || index.getOpcode() != ILOAD) {
            return false;
        }
        int local = ((VarInsnNode) index).var;
        int place = places.get(access);
        for (Loop loop : loops) {
            if (loop.holds(place) && loop.counts(local)) {
                return true;
            }
        }
        return false;
    }

    /** The instruction that gives the index: the last one, or the one before the value that is stored. */
    private AbstractInsnNode index(AbstractInsnNode access) {
        int opcode = access.getOpcode();
        if (opcode <= SALOAD) {
            return before(access);
        }
        int wanted = opcode == LASTORE || opcode == DASTORE ? 2 : 1;
        int given = 0;
        AbstractInsnNode node = access;
        while (given != wanted) {
            node = before(node);
            Integer change = node == null ? null : Stack.change(node);
            if (change == null) {
                return null;
            }
            given += change;
        }
        return before(node);
    }

    /** The instruction before, in the same block; null at its start. */
    private AbstractInsnNode before(AbstractInsnNode node) {
        AbstractInsnNode at = node == null ? null : node.getPrevious();
        while (at != null && at.getOpcode() < 0) {
            if (leaders.contains(at)) {
                return null;
            }
            at = at.getPrevious();
        }
        return at;
    }
}

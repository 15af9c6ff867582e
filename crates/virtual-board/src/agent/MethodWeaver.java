package wattline.simulation.weaver;

import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.TypeInsnNode;

/** Weaves one method: finds its blocks, writes what each holds, puts a counter into each. */
class MethodWeaver implements Opcodes {
    /** What the inserted code may add to the stack at most. */
    private static final int EXTRA_STACK = 8;

    final MapFile map;
    final Hierarchy hierarchy;
    private final Units units;
    final StringBuilder lines;
    final boolean byCalls;
    /** The blocks of what the code was translated from, by which it is counted then; else null. */
    private final Marks marks;
    /** The next free counter. */
    int next;

    InsnList code;
    private final Patterns patterns = new Patterns();
    /** What the block holds so far. */
    final Items items = new Items();
    /** Its first instruction; null before. */
    AbstractInsnNode first;
    int line;

    MethodWeaver(MapFile map, Hierarchy hierarchy, Units units, StringBuilder lines, int next, boolean byCalls,
            Marks marks) {
        this.map = map;
        this.hierarchy = hierarchy;
        this.units = units;
        this.lines = lines;
        this.next = next;
        this.byCalls = byCalls;
        this.marks = marks;
    }

    /** Weaves the method; returns the next free counter. */
    int weave(MethodNode method) {
        code = method.instructions;
        lines.append("method\t").append(method.name).append('\t').append(method.desc).append('\t')
                .append(method.signature == null ? "-" : method.signature).append('\t')
                .append(method.access).append('\n');
        Set<AbstractInsnNode> leaders = leaders(method);
        begin(method, leaders);
        for (AbstractInsnNode node : code.toArray()) {
            if (leaders.contains(node)) {
                endBlock();
                lead(node);
            }
            if (node instanceof LineNumberNode) {
                line = ((LineNumberNode) node).line;
            } else if (Marks.isMark(node)) {
                countMarked((MethodInsnNode) node);
            } else if (node.getOpcode() >= 0) {
                first = first == null ? node : first;
                visit(node);
                if (endsBlock(node)) {
                    endBlock();
                }
            }
        }
        endBlock();
        end(method);
        method.maxStack += EXTRA_STACK;
        return next;
    }

    /** Before anything is visited. */
    void begin(MethodNode method, Set<AbstractInsnNode> leaders) {
    }

    /** A label that can be jumped to. */
    void lead(AbstractInsnNode label) {
    }

    /** After all blocks. */
    void end(MethodNode method) {
    }

    private static Set<AbstractInsnNode> leaders(MethodNode method) {
        Set<AbstractInsnNode> leaders = new HashSet<>();
        for (AbstractInsnNode node = method.instructions.getFirst(); node != null; node = node.getNext()) {
            if (node instanceof JumpInsnNode) {
                leaders.add(((JumpInsnNode) node).label);
            } else if (node instanceof TableSwitchInsnNode) {
                leaders.addAll(((TableSwitchInsnNode) node).labels);
                leaders.add(((TableSwitchInsnNode) node).dflt);
            } else if (node instanceof LookupSwitchInsnNode) {
                leaders.addAll(((LookupSwitchInsnNode) node).labels);
                leaders.add(((LookupSwitchInsnNode) node).dflt);
            }
        }
        for (TryCatchBlockNode block : method.tryCatchBlocks) {
            leaders.add(block.handler);
        }
        return leaders;
    }

    private static boolean endsBlock(AbstractInsnNode node) {
        int opcode = node.getOpcode();
        return opcode >= IFEQ && opcode <= RETURN || opcode == ATHROW || opcode == IFNULL || opcode == IFNONNULL;
    }

    /** Gives the block a counter, if it costs anything. */
    void endBlock() {
        if (first != null) {
            InsnList count = count();
            if (first.getOpcode() == NEW) {
                // a frame names the offset of the new instruction: nothing may come between
                code.insert(first, count);
            } else {
                code.insertBefore(first, count);
            }
        }
        items.clear();
        first = null;
        patterns.start();
    }

    /** A counter for a block of what the code was translated from, in the place of its mark. */
    private void countMarked(MethodInsnNode mark) {
        Items held = new Items();
        for (Marks.Item item : marks.items(mark)) {
            held.add(item.line, map.pattern(item.pattern), Items.ALWAYS, item.count);
        }
        code.insertBefore(mark, increment(counter(held)));
        code.remove(mark);
    }

    /** What is run when the block is. */
    InsnList count() {
        return items.isEmpty() ? new InsnList() : increment(counter());
    }

    /** Writes the collected items as the line of a new counter. */
    int counter() {
        return counter(items);
    }

    /** Writes these items as the line of a new counter. */
    private int counter(Items items) {
        lines.append("block\t").append(next);
        items.write(lines);
        lines.append('\n');
        return next++;
    }

    /** A counter of its own for an amount at this line. */
    int amount(String... texts) {
        int slot = next;
        for (String text : texts) {
            lines.append("block\t").append(next++).append('\t').append(line).append(':')
                    .append(map.pattern(text)).append("*1\n");
        }
        return slot;
    }

    InsnList increment(int slot) {
        InsnList list = new InsnList();
        if (byCalls) {
            pushSlot(list, slot);
            list.add(meter("hit", "(I)V"));
            return list;
        }
        list.add(new FieldInsnNode(GETSTATIC, Calls.METER, "C", "[J"));
        pushSlot(list, slot);
        list.add(new InsnNode(DUP2));
        list.add(new InsnNode(LALOAD));
        list.add(new InsnNode(LCONST_1));
        list.add(new InsnNode(LADD));
        list.add(new InsnNode(LASTORE));
        return list;
    }

    /** Puts the number of a counter on the stack. */
    void pushSlot(InsnList list, int slot) {
        list.add(constant(slot));
    }

    static AbstractInsnNode constant(int value) {
        return value <= Short.MAX_VALUE ? new IntInsnNode(SIPUSH, value) : new LdcInsnNode(value);
    }

    static MethodInsnNode meter(String name, String descriptor) {
        return new MethodInsnNode(INVOKESTATIC, Calls.METER, name, descriptor, false);
    }

    /** Adds executions of a pattern to the block. */
    void item(String pattern, int count) {
        if (pattern != null) {
            items.add(line, map.pattern(pattern), Items.ALWAYS, count);
        }
    }

    void visit(AbstractInsnNode node) {
        int opcode = node.getOpcode();
        if (node instanceof MethodInsnNode) {
            call((MethodInsnNode) node);
            patterns.other();
        } else if (node instanceof InvokeDynamicInsnNode) {
            dynamic((InvokeDynamicInsnNode) node);
            patterns.other();
        } else if (opcode == NEW) {
            creation(((TypeInsnNode) node).desc);
            patterns.other();
        } else {
            instruction(node, opcode);
            array(node, opcode);
        }
    }

    /** What costs the same in every execution; marks have it where there are any. */
    private void instruction(AbstractInsnNode node, int opcode) {
        if (marks == null) {
            boolean isNull = opcode == IFNULL || opcode == IFNONNULL;
            item(isNull ? Patterns.nullBranch(opcode) : patterns.of(node), 1);
        }
    }

    void creation(String name) {
        item("op:Object allocation/Reference/Reference", 1);
        if (hierarchy.isApplication(name)) {
            item("bytes", hierarchy.objectBytes(name));
        } else {
            item("new:" + name.replace('/', '.'), 1);
        }
    }

    private void array(AbstractInsnNode node, int opcode) {
        if (opcode == NEWARRAY || opcode == ANEWARRAY) {
            item("bytes", 24);
            int shift = opcode == ANEWARRAY ? 2 : Layout.primitiveShift(((IntInsnNode) node).operand);
            Integer length = Layout.constant(node.getPrevious());
            if (length == null) {
                InsnList count = new InsnList();
                count.add(new InsnNode(DUP));
                count.add(new LdcInsnNode(shift));
                pushSlot(count, amount("array"));
                count.add(meter("array", "(III)V"));
                code.insertBefore(node, count);
            } else {
                long beyond = ((16 + ((long) length << shift) + 7) & -8) - 24;
                if (beyond > 0 && beyond < Integer.MAX_VALUE) {
                    item("array", (int) beyond);
                }
            }
        } else if (opcode == MULTIANEWARRAY) {
            item("bytes", 24);
            String descriptor = ((MultiANewArrayInsnNode) node).desc;
            InsnList count = new InsnList();
            count.add(new InsnNode(DUP));
            count.add(new LdcInsnNode(Layout.leafShift(descriptor)));
            pushSlot(count, amount("op:Array allocation" + Patterns.leaf(descriptor), "array"));
            count.add(meter("arrays", "(Ljava/lang/Object;II)V"));
            code.insert(node, count);
        }
    }

    private void call(MethodInsnNode node) {
        String library = hierarchy.libraryOwner(node.owner, node.name, node.desc);
        boolean constructor = node.name.equals("<init>");
        if (library == null) {
            ownCall(node);
            return;
        }
        if (constructor && library.equals("java/lang/Object")) {
            return;
        }
        String function = Hierarchy.readable(library, node.name, node.desc);
        item("call:" + function, 1);
        unit(function, node, node.getOpcode() == INVOKESTATIC, node.name, node.desc);
        String stand = Calls.onTheBoard(library, node.name, node.desc);
        if (stand != null) {
            node.setOpcode(INVOKESTATIC);
            node.owner = Calls.METER;
            node.desc = stand;
            node.itf = false;
        } else if (Calls.prints(library, node.name)) {
            code.insertBefore(node, meter("mark", "()V"));
        }
    }

    /** A call of the application's own method. */
    void ownCall(MethodInsnNode node) {
        // a constructor's call is part of its new
        item(node.name.equals("<init>") ? null : Calls.own(node.getOpcode()), 1);
    }

    private void unit(String function, AbstractInsnNode node, boolean isStatic, String name, String descriptor) {
        String unit = units.of(function);
        if (unit == null || !Units.fits(unit, isStatic, name, descriptor)) {
            return;
        }
        InsnList slot = new InsnList();
        pushSlot(slot, amount("units:" + function));
        InsnList count = Units.count(unit, unit.equals("result") ? "()V" : descriptor, slot);
        if (unit.equals("result")) {
            code.insert(node, count);
        } else {
            code.insertBefore(node, count);
        }
    }

    private void dynamic(InvokeDynamicInsnNode node) {
        String function = Calls.dynamic(node.bsm.getOwner());
        item("call:" + function + "()", 1);
        unit(function + "()", node, true, node.name, node.desc);
        for (int i = 0; i < node.bsmArgs.length; i++) {
            if (node.bsmArgs[i] instanceof Handle) {
                node.bsmArgs[i] = onTheBoard((Handle) node.bsmArgs[i]);
            }
        }
    }

    /** A method reference to the clock is one to the board's. */
    private static Handle onTheBoard(Handle handle) {
        String stand = Calls.onTheBoard(handle.getOwner(), handle.getName(), handle.getDesc());
        boolean same = stand != null && stand.equals(handle.getDesc());
        return same ? new Handle(H_INVOKESTATIC, Calls.METER, handle.getName(), stand, false) : handle;
    }
}

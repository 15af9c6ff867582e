package wattline.simulation.weaver;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Weaves a method for the compiled chip. Its counters come in copies, one for each state
 * (see Tiers); which one counts is kept in a local variable. Each call of a method of the
 * application has a counter of its own, which runs where the call is really made.
 */
final class CompiledWeaver extends MethodWeaver {
    private static final String TIERS = "wattline/simulation/Tiers";
    /** Bytes of a new array's header and first element; the meter counts those beyond. */
    private static final int ARRAY = 24;

    private final String owner;
    private final int number;
    private final int base;
    private final Effects effects;
    private final List<int[]> calls = new ArrayList<>();
    private final List<StringBuilder> waiting = new ArrayList<>();
    /** The loops that something of the block is moved out of. */
    private final Set<Loops.Loop> moving = new HashSet<>();

    private MethodNode method;
    private Loops loops;
    private int local;
    private int instructions;
    private PlaceText place;
    private boolean isHead;
    /** The loop that the visited load is moved out of. */
    private Loops.Loop out;
    /** The type of the array that is made. */
    private String made;

    /** Of the method with this number, whose first copy begins at counter next. */
    CompiledWeaver(MapFile map, Hierarchy hierarchy, Units units, StringBuilder lines, int next, boolean byCalls,
            String owner, int number, Effects effects) {
        super(map, hierarchy, units, lines, next, byCalls, null);
        this.owner = owner;
        this.number = number;
        this.base = next;
        this.effects = effects;
    }

    /** Slots, instructions, name, first copy, then index and name of each call: what Tiers asks for. */
    int[] description() {
        int[] all = new int[4 + 2 * calls.size()];
        all[0] = next - base;
        all[1] = instructions;
        all[2] = method.name.equals("<clinit>") ? 0 : name(method.name, method.desc);
        all[3] = base;
        for (int i = 0; i < calls.size(); i++) {
            all[4 + 2 * i] = calls.get(i)[0];
            all[5 + 2 * i] = calls.get(i)[1];
        }
        return all;
    }

    /** Tells methods from others that a call could mean; never 0, which is no name. */
    private static int name(String name, String descriptor) {
        int hash = (name + descriptor).hashCode();
        return hash == 0 ? 1 : hash;
    }

    @Override
    void begin(MethodNode node, Set<AbstractInsnNode> leaders) {
        method = node;
        local = node.maxLocals;
        loops = new Loops(node, effects, leaders);
        place = new PlaceText(owner, node);
        // Before what is woven in adds to them.
        instructions = Effects.size(node);
        lines.append("code\t").append(number).append('\t').append(instructions).append('\n');
    }

    @Override
    void lead(AbstractInsnNode label) {
        isHead |= label instanceof LabelNode && loops.isHead((LabelNode) label);
    }

    @Override
    void visit(AbstractInsnNode node) {
        place.add(node);
        out = loops.outOf(node);
        made = Layout.made(node);
        super.visit(node);
        touch(node);
        out = null;
    }

    @Override
    void item(String pattern, int count) {
        if (pattern == null) {
            return;
        }
        int known = map.pattern(pattern);
        if (out == null) {
            items.add(line, known, pattern.startsWith("return:") ? Items.CALLED : Items.ALWAYS, count);
        } else {
            items.add(line, known, Items.INTERPRETED, count);
            out.moved.add(line, known, Items.COMPILED, count);
            moving.add(out);
        }
        if (pattern.equals("array")) {
            item("grow:" + made, count);
        }
    }

    @Override
    void creation(String name) {
        super.creation(name);
        item("grow:" + name.replace('/', '.'), hierarchy.isApplication(name) ? hierarchy.objectBytes(name) : ARRAY);
    }

    /** What is read or written, and whether its index is checked. */
    private void touch(AbstractInsnNode node) {
        int opcode = node.getOpcode();
        if (node instanceof FieldInsnNode) {
            FieldInsnNode field = (FieldInsnNode) node;
            touch(Type.getType(field.desc).getSize(), field.owner.replace('/', '.'));
        } else if (opcode >= IALOAD && opcode <= SALOAD || opcode >= IASTORE && opcode <= SASTORE) {
            int index = opcode <= SALOAD ? opcode - IALOAD : opcode - IASTORE;
            touch(index == 1 || index == 3 ? 2 : 1, Effects.elements(index));
            if (!loops.isUnchecked(node)) {
                Items checked = out == null ? items : out.moved;
                checked.add(line, map.pattern("check"), Items.COMPILED, 1);
            }
        } else if (made != null) {
            item("grow:" + made, ARRAY);
        }
    }

    private void touch(int words, String region) {
        item("touch/" + 4 * words + ":" + region, 1);
    }

    @Override
    void ownCall(MethodInsnNode node) {
        Items cost = new Items();
        cost.add(line, map.pattern(Calls.own(node.getOpcode())), Items.ALWAYS, 1);
        int arguments = Type.getArgumentTypes(node.desc).length;
        if (arguments > 0) {
            cost.add(line, map.pattern("argument"), Items.COMPILED, arguments);
        }
        int slot = slot(cost);
        calls.add(new int[] {slot - base, name(node.name, node.desc)});
        InsnList from = new InsnList();
        pushSlot(from, slot);
        from.add(new FieldInsnNode(PUTSTATIC, TIERS, "site", "I"));
        code.insertBefore(node, from);
    }

    @Override
    int amount(String... texts) {
        int slot = next;
        for (String text : texts) {
            Items one = new Items();
            one.add(line, map.pattern(text), Items.ALWAYS, 1);
            if (text.equals("array")) {
                one.add(line, map.pattern("grow:" + made), Items.ALWAYS, 1);
            }
            slot(one);
        }
        return slot;
    }

    /** A new slot, whose line waits for the block's end: then the block's bytes are known. */
    private int slot(Items all) {
        StringBuilder text = new StringBuilder();
        all.write(text);
        waiting.add(text);
        return next++;
    }

    @Override
    int counter() {
        return slot(items);
    }

    @Override
    InsnList count() {
        InsnList list = new InsnList();
        if (isHead) {
            list.add(new VarInsnNode(ILOAD, local));
            list.add(constant(number));
            list.add(new MethodInsnNode(INVOKESTATIC, TIERS, "loop", "(II)I", false));
            list.add(new VarInsnNode(ISTORE, local));
            isHead = false;
        }
        list.add(super.count());
        return list;
    }

    @Override
    void endBlock() {
        super.endBlock();
        long hash = place.end();
        write(hash);
        for (Loops.Loop loop : moving) {
            loop.hash = 31 * loop.hash + hash;
        }
        moving.clear();
    }

    /** Writes the slots that waited, as of a place with these bytes. */
    private void write(long hash) {
        for (StringBuilder text : waiting) {
            lines.append("place\t").append(Long.toHexString(hash)).append(text).append('\n');
        }
        waiting.clear();
    }

    @Override
    void pushSlot(InsnList list, int slot) {
        list.add(new VarInsnNode(ILOAD, local));
        if (slot > base) {
            list.add(constant(slot - base));
            list.add(new InsnNode(IADD));
        }
    }

    @Override
    void end(MethodNode node) {
        countEntries();
        Edges.widen(method, local);
        InsnList enter = new InsnList();
        enter.add(constant(number));
        enter.add(new MethodInsnNode(INVOKESTATIC, TIERS, "enter", "(I)I", false));
        enter.add(new VarInsnNode(ISTORE, local));
        code.insert(enter);
        method.maxLocals++;
        lines.append("copy\t").append(base).append('\t').append(number).append("\tinterpreted\t0\n");
    }

    /** Gives each loop that something was moved out of a counter of its entries. */
    private void countEntries() {
        AbstractInsnNode[] all = code.toArray();
        List<Loops.Loop> counted = new ArrayList<>();
        List<Integer> slots = new ArrayList<>();
        for (Loops.Loop loop : loops.all()) {
            if (!loop.moved.isEmpty()) {
                counted.add(loop);
                slots.add(slot(loop.moved));
                write(loop.hash);
            }
        }
        for (AbstractInsnNode node : all) {
            for (LabelNode target : Edges.targets(node)) {
                InsnList added = entries(counted, slots, loops.place(node), loops.place(target));
                if (added.size() > 0) {
                    Edges.onJump(method, node, target, added);
                }
            }
        }
        for (int i = 0; i < counted.size(); i++) {
            LabelNode head = counted.get(i).head;
            AbstractInsnNode before = head.getPrevious();
            while (before != null && before.getOpcode() < 0) {
                before = before.getPrevious();
            }
            if (before == null || Edges.fallsThrough(before)) {
                code.insertBefore(head, increment(slots.get(i)));
            }
        }
    }

    private InsnList entries(List<Loops.Loop> counted, List<Integer> slots, int from, int to) {
        InsnList added = new InsnList();
        for (int i = 0; i < counted.size(); i++) {
            if (counted.get(i).holds(to) && !counted.get(i).holds(from)) {
                added.add(increment(slots.get(i)));
            }
        }
        return added;
    }
}

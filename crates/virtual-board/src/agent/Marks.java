package wattline.simulation.weaver;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/**
 * The basic blocks of the code that a class was translated from, where it was: each begins with
 * a call of a method that there is not, {@code wattline.board.Block.bN()}, and a text says what
 * block N holds.
 */
final class Marks {
    private static final String OWNER = "wattline/board/Block";

    /** What a block holds: executions of a pattern at a line. */
    static final class Item {
        final int line;
        final int count;
        final String pattern;

        Item(String[] fields) {
            line = Integer.parseInt(fields[1]);
            count = Integer.parseInt(fields[2]);
            pattern = fields[3];
        }
    }

    private final Map<Integer, List<Item>> blocks = new HashMap<>();

    /** Lines of NUMBER, LINE, COUNT, PATTERN between tabs. */
    Marks(String text) {
        for (String line : text.split("\n")) {
            if (!line.isEmpty()) {
                String[] fields = line.split("\t", 4);
                blocks.computeIfAbsent(Integer.parseInt(fields[0]), n -> new ArrayList<>()).add(new Item(fields));
            }
        }
    }

    static boolean isMark(AbstractInsnNode node) {
        return node instanceof MethodInsnNode && ((MethodInsnNode) node).owner.equals(OWNER);
    }

    /** What the block of a mark holds. */
    List<Item> items(MethodInsnNode mark) {
        return blocks.getOrDefault(Integer.parseInt(mark.name.substring(1)), List.of());
    }

    /** Takes the marks out of code that is not counted by them, and handlers of nothing else. */
    static void strip(MethodNode method) {
        for (AbstractInsnNode node : method.instructions.toArray()) {
            if (isMark(node)) {
                method.instructions.remove(node);
            }
        }
        method.tryCatchBlocks.removeIf(Marks::isEmpty);
    }

    static void strip(ClassNode node) {
        node.methods.forEach(Marks::strip);
    }

    private static boolean isEmpty(TryCatchBlockNode block) {
        for (AbstractInsnNode node = block.start; node != block.end; node = node.getNext()) {
            if (node.getOpcode() >= 0) {
                return false;
            }
        }
        return true;
    }
}

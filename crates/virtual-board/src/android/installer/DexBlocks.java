package wattline.board.installer;

import com.googlecode.d2j.DexLabel;
import com.googlecode.d2j.Method;
import com.googlecode.d2j.node.DexClassNode;
import com.googlecode.d2j.node.DexCodeNode;
import com.googlecode.d2j.node.DexDebugNode.DexDebugOpNode;
import com.googlecode.d2j.node.DexMethodNode;
import com.googlecode.d2j.node.TryCatchNode;
import com.googlecode.d2j.node.insn.BaseSwitchStmtNode;
import com.googlecode.d2j.node.insn.DexLabelStmtNode;
import com.googlecode.d2j.node.insn.DexStmtNode;
import com.googlecode.d2j.node.insn.JumpStmtNode;
import com.googlecode.d2j.node.insn.MethodStmtNode;
import com.googlecode.d2j.reader.Op;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Marks the basic blocks of DEX code, so that what they hold can be counted when its
 * translation runs: each begins with a call of a method that there is not, {@code
 * wattline.board.Block.bN()}, for which the weaver of the simulated energy model puts a counter.
 * A call without arguments needs no register, and nothing moves over it when code is translated.
 */
final class DexBlocks {
    private static final String OWNER = "Lwattline/board/Block;";

    /** Lines of NUMBER, LINE, COUNT, PATTERN between tabs: what the blocks of a class hold. */
    private final StringBuilder said = new StringBuilder();
    private int blocks;

    private DexBlocks() {
    }

    /** Marks the code of a class; what its blocks hold. */
    static String mark(DexClassNode node) {
        DexBlocks all = new DexBlocks();
        if (node.methods != null) {
            for (DexMethodNode method : node.methods) {
                if (method.codeNode != null) {
                    all.mark(method.method, method.codeNode);
                }
            }
        }
        return all.said.toString();
    }

    private void mark(Method method, DexCodeNode code) {
        Set<DexLabel> leaders = leaders(code);
        Map<DexLabel, Integer> lines = lines(code);
        Map<String, Integer> items = new LinkedHashMap<>();
        int[] line = new int[1];
        DexPatterns patterns = new DexPatterns(method,
                (pattern, count) -> items.merge(line[0] + "\t" + pattern, count, Integer::sum));
        List<DexStmtNode> marked = new ArrayList<>();
        // Where the mark of the block goes; none before its first instruction.
        int at = -1;
        for (DexStmtNode node : code.stmts) {
            if (node instanceof DexLabelStmtNode) {
                DexLabel label = ((DexLabelStmtNode) node).label;
                if (leaders.contains(label)) {
                    at = end(marked, at, items, patterns);
                }
                line[0] = lines.getOrDefault(label, line[0]);
                marked.add(node);
                continue;
            }
            boolean isCaught = node.op == Op.MOVE_EXCEPTION;
            at = at < 0 && !isCaught ? marked.size() : at;
            patterns.visit(node);
            marked.add(node);
            if (!node.op.canContinue() || node.op.canBranch() || node.op.canSwitch()) {
                at = end(marked, at, items, patterns);
            }
        }
        end(marked, at, items, patterns);
        code.stmts.clear();
        code.stmts.addAll(marked);
    }

    /** Marks the block that begins there, if it holds anything; the next has not begun. */
    private int end(List<DexStmtNode> marked, int at, Map<String, Integer> items, DexPatterns patterns) {
        if (!items.isEmpty() && at >= 0) {
            Method mark = new Method(OWNER, "b" + blocks, new String[0], "V");
            marked.add(at, new MethodStmtNode(Op.INVOKE_STATIC, new int[0], mark));
            items.forEach((item, count) -> {
                String[] parts = item.split("\t", 2);
                said.append(blocks).append('\t').append(parts[0]).append('\t').append(count).append('\t')
                        .append(parts[1]).append('\n');
            });
            blocks++;
        }
        items.clear();
        patterns.start();
        return -1;
    }

    /** Labels that are jumped to. */
    private static Set<DexLabel> leaders(DexCodeNode code) {
        Set<DexLabel> leaders = new HashSet<>();
        for (DexStmtNode node : code.stmts) {
            if (node instanceof JumpStmtNode) {
                leaders.add(((JumpStmtNode) node).label);
            } else if (node instanceof BaseSwitchStmtNode) {
                leaders.addAll(Arrays.asList(((BaseSwitchStmtNode) node).labels));
            }
        }
        if (code.tryStmts != null) {
            for (TryCatchNode caught : code.tryStmts) {
                leaders.addAll(Arrays.asList(caught.handler));
            }
        }
        return leaders;
    }

    private static Map<DexLabel, Integer> lines(DexCodeNode code) {
        Map<DexLabel, Integer> lines = new HashMap<>();
        if (code.debugNode != null) {
            for (DexDebugOpNode node : code.debugNode.debugNodes) {
                if (node instanceof DexDebugOpNode.LineNumber) {
                    lines.put(node.label, ((DexDebugOpNode.LineNumber) node).line);
                }
            }
        }
        return lines;
    }
}

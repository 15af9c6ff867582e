package wattline.board.installer;

import com.googlecode.d2j.Field;
import com.googlecode.d2j.Method;
import com.googlecode.d2j.node.insn.AbstractMethodStmtNode;
import com.googlecode.d2j.node.insn.DexStmtNode;
import com.googlecode.d2j.node.insn.FieldStmtNode;
import com.googlecode.d2j.node.insn.FillArrayDataStmtNode;
import com.googlecode.d2j.node.insn.FilledNewArrayStmtNode;
import com.googlecode.d2j.node.insn.Stmt2R1NNode;
import com.googlecode.d2j.node.insn.TypeStmtNode;
import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ObjIntConsumer;

/**
 * The patterns of a DEX instruction, as the cost file names them: one for what it does, and one
 * for each register and constant that it reads. The table was measured on Java's bytecode; of
 * what DEX has beside it, a move is priced as bytecode's own, dup and load are: a register that
 * is read; and a constant into a register as one onto the stack. Where DEX does not say the type
 * (elements, comparisons with zero), it is int's. Calls and new objects have none here: the
 * weaver counts them where they are made. Remembers what stood before, within a block.
 */
final class DexPatterns {
    private static final List<String> RELATIONS = Arrays.asList("eq", "ne", "lt", "ge", "gt", "le");
    /** By the source's relation: compilers branch on the opposite, past the statement. */
    private static final String[] OPPOSITES =
        {"non-equal", "equal", "greater or equal", "less", "less or equal", "greater"};
    private static final List<String> BINARY =
            Arrays.asList("add", "sub", "rsub", "mul", "div", "rem", "and", "or", "xor", "shl", "shr", "ushr");
    private static final String[] BINARY_NAMES = {
        "Addition", "Subtraction", "Subtraction", "Multiplication", "Division", "Modulo",
        "Bit and", "Bit or", "Bit xor", "Left bitshift", "Right bitshift", "Logical right bitshift"};
    private static final Map<String, String> UNARY = Map.of(
            "packed", "op:Switch-case consecutive/int",
            "sparse", "op:Switch-case non-consecutive/int",
            "array", "op:Array length/int",
            "check", "assumed:checkcast",
            "instance", "assumed:instanceof",
            "monitor", "assumed:monitor",
            "throw", "assumed:athrow");
    private static final String LOAD = "size:Load";

    /** The method whose code it is. */
    private final Method method;
    /** Takes each pattern with how often. */
    private final ObjIntConsumer<String> found;
    /** The type that a comparison left for the branch after it. */
    private String compared;

    DexPatterns(Method method, ObjIntConsumer<String> found) {
        this.method = method;
        this.found = found;
    }

    /** At the start of a block nothing is known. */
    void start() {
        compared = null;
    }

    void visit(DexStmtNode node) {
        String name = node.op.displayName;
        int slash = name.indexOf('/');
        String base = slash < 0 ? name : name.substring(0, slash);
        String[] words = base.split("-");
        String comparedBefore = compared;
        compared = null;
        switch (words[0]) {
            case "nop":
                return;
            case "new":
                newArray(node, base);
                return;
            case "move":
                move(words);
                return;
            case "const":
                constant(words, name);
                return;
            case "return":
                result(words);
                return;
            case "if":
                branch(words[1], comparedBefore);
                return;
            case "cmp":
            case "cmpl":
            case "cmpg":
                compared = words[1];
                loads(2);
                return;
            case "aget":
            case "aput":
                found.accept("op:Array " + (words[0].equals("aget") ? "load" : "store") + kind(words), 1);
                loads(words[0].equals("aget") ? 2 : 3);
                return;
            case "iget":
            case "iput":
            case "sget":
            case "sput":
                field(words[0], ((FieldStmtNode) node).field);
                return;
            case "invoke":
                loads(arguments(node));
                return;
            case "filled":
            case "fill":
                filled(node);
                return;
            default:
                rest(node, words, slash >= 0 && name.startsWith("lit", slash + 1));
        }
    }

    private void loads(int count) {
        if (count > 0) {
            found.accept(LOAD, count);
        }
    }

    private void newArray(DexStmtNode node, String base) {
        if (base.equals("new-array")) {
            found.accept("op:Array allocation" + type(((TypeStmtNode) node).type.substring(1)), 1);
            loads(1);
        }
    }

    /** Results and exceptions come with what gives them. */
    private void move(String[] words) {
        if (words.length == 1 || !words[1].equals("result") && !words[1].equals("exception")) {
            loads(1);
        }
    }

    private void constant(String[] words, String name) {
        boolean isWide = words.length > 1 && words[1].equals("wide");
        boolean isNumber = words.length == 1 || isWide;
        boolean isShort = name.equals("const/4") || name.equals("const/16");
        found.accept("size:" + (isShort ? "Constant" : isWide ? "64-bit" : isNumber ? "32-bit" : "Reference"), 1);
    }

    private void result(String[] words) {
        if (words.length == 1 || !words[1].equals("void")) {
            found.accept("return:" + type(method.getReturnType()).substring(1), 1);
            loads(1);
        }
    }

    private void branch(String relation, String comparedBefore) {
        boolean withZero = relation.endsWith("z");
        int index = RELATIONS.indexOf(withZero ? relation.substring(0, relation.length() - 1) : relation);
        String opposite = "op:if " + OPPOSITES[index];
        if (comparedBefore != null) {
            found.accept(opposite + " (numerical data types)/" + comparedBefore, 1);
        } else {
            found.accept(opposite + (withZero ? " (int, 0)/int" : " (numerical data types)/int"), 1);
            loads(withZero ? 1 : 2);
        }
    }

    private void field(String word, Field field) {
        boolean isStatic = word.charAt(0) == 's';
        boolean reads = word.endsWith("get");
        String name = "Object " + (reads ? "get " : "put ") + (isStatic ? "static field" : "field");
        found.accept("op:" + name + type(field.getType()), 1);
        loads((isStatic ? 0 : 1) + (reads ? 0 : 1));
    }

    private static int arguments(DexStmtNode node) {
        if (!(node instanceof AbstractMethodStmtNode)) {
            return 0;
        }
        int parameters = ((AbstractMethodStmtNode) node).getProto().getParameterTypes().length;
        String name = node.op.displayName;
        boolean hasReceiver = !name.startsWith("invoke-static") && !name.startsWith("invoke-custom");
        return parameters + (hasReceiver ? 1 : 0);
    }

    /** Arrays with their elements, in one instruction. */
    private void filled(DexStmtNode node) {
        String stored;
        int elements;
        if (node instanceof FilledNewArrayStmtNode) {
            FilledNewArrayStmtNode array = (FilledNewArrayStmtNode) node;
            stored = type(array.type.substring(1));
            elements = array.args.length;
            found.accept("op:Array allocation" + stored, 1);
            loads(elements);
        } else {
            Object array = ((FillArrayDataStmtNode) node).array;
            stored = type(array.getClass().getName().substring(1));
            elements = Array.getLength(array);
            loads(1);
        }
        if (elements > 0) {
            found.accept("op:Array store" + stored, elements);
        }
    }

    private void rest(DexStmtNode node, String[] words, boolean isLiteral) {
        int operation = BINARY.indexOf(words[0]);
        if (operation >= 0) {
            binary(node, operation, words[1], isLiteral || node instanceof Stmt2R1NNode);
            return;
        }
        if (words[0].equals("goto")) {
            found.accept("op:else branch", 1);
            return;
        }
        String pattern = unary(words);
        if (pattern != null) {
            found.accept(pattern, 1);
            loads(1);
        }
    }

    /** What works on one register; null for what is no instruction of any Android. */
    private static String unary(String[] words) {
        String plain = UNARY.get(words[0]);
        if (plain != null) {
            return plain;
        }
        if (words[0].equals("neg") || words[0].equals("not")) {
            return "op:" + (words[0].equals("neg") ? "Negation/" : "Bit complement/") + words[1];
        }
        // int-to-long and the like
        return words.length == 3 ? "op:" + words[0].charAt(0) + "2" + words[2].charAt(0) + "/" + words[0] : null;
    }

    private void binary(DexStmtNode node, int operation, String type, boolean isLiteral) {
        if (!isLiteral) {
            found.accept("op:" + BINARY_NAMES[operation] + "/" + type, 1);
            loads(2);
            return;
        }
        Stmt2R1NNode literal = (Stmt2R1NNode) node;
        boolean isCounting = operation == 0 && literal.distReg == literal.srcReg;
        boolean isComplement = BINARY.get(operation).equals("xor") && literal.content == -1;
        if (isCounting) {
            found.accept("op:Increase/int", 1);
            return;
        }
        found.accept("op:" + (isComplement ? "Bit complement" : BINARY_NAMES[operation]) + "/int", 1);
        found.accept("size:Constant", 1);
        loads(1);
    }

    /** By the word at an instruction's end. */
    private static String kind(String[] words) {
        String last = words[words.length - 1];
        return last.equals("wide") ? "/long" : last.equals("object") ? "/Reference" : "/int";
    }

    /** By a descriptor. */
    private static String type(String descriptor) {
        switch (descriptor.charAt(0)) {
            case 'J':
                return "/long";
            case 'F':
                return "/float";
            case 'D':
                return "/double";
            case 'L':
            case '[':
                return "/Reference";
            default:
                return "/int";
        }
    }
}

package wattline.simulation.weaver;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;

/**
 * The pattern of an opcode, as the cost file names it. The head opcode of a pattern
 * carries operation and type, operand loads and constants a size. Remembers what
 * stood before, within a block. Calls and object creations are not here.
 */
final class Patterns implements Opcodes {
    private static final String[] TYPES = {"int", "long", "float", "double", "Reference"};
    private static final String[] ARITHMETIC = {
        "Addition", "Subtraction", "Multiplication", "Division", "Modulo", "Negation"};
    private static final String[] BITS = {
        "Left bitshift", "Right bitshift", "Logical right bitshift", "Bit and", "Bit or", "Bit xor"};
    private static final String[] CONVERSIONS = {
        "i2l/int", "i2f/int", "i2d/int", "l2i/long", "l2f/long", "l2d/long", "f2i/float", "f2l/float",
        "f2d/float", "d2i/double", "d2l/double", "d2f/double", "i2b/int", "i2c/int", "i2s/int"};
    /** By the source's relation: javac branches on the opposite, past the statement. */
    private static final String[] RELATIONS = {
        "non-equal", "equal", "greater or equal", "less", "less or equal", "greater"};

    /** Was the value on top made by a load or constant alone? */
    private boolean simple;
    /** Was it the constant -1? */
    private boolean minusOne;
    /** The type that a comparison opcode left for the branch after it. */
    private String compared;

    /** At the start of a block nothing is known. */
    void start() {
        simple = false;
        minusOne = false;
        compared = null;
    }

    /** A call or creation stands on the stack. */
    void other() {
        start();
    }

    /** The pattern of an opcode, or null if it is free or part of another's. */
    String of(AbstractInsnNode node) {
        int opcode = node.getOpcode();
        String comparedBefore = compared;
        boolean simpleBefore = simple;
        boolean minusOneBefore = minusOne;
        start();
        if (opcode >= ACONST_NULL && opcode <= ALOAD) {
            simple = true;
            minusOne = isMinusOne(node);
            return "size:" + size(node);
        }
        if (opcode >= ISTORE && opcode <= ASTORE) {
            return simpleBefore ? "op:Variable declaration/" + TYPES[opcode - ISTORE] : null;
        }
        if (opcode >= DUP && opcode <= DUP2_X2 || opcode == CHECKCAST) {
            simple = simpleBefore;
        }
        if (opcode >= LCMP && opcode <= DCMPG) {
            compared = opcode == LCMP ? "long" : opcode <= FCMPG ? "float" : "double";
            return null;
        }
        if (opcode == IXOR || opcode == LXOR) {
            return "op:" + (minusOneBefore ? "Bit complement" : "Bit xor") + type(opcode - IXOR);
        }
        if (opcode >= IFEQ && opcode <= IF_ACMPNE) {
            return branch(opcode, comparedBefore);
        }
        return head(node, opcode);
    }

    private static String head(AbstractInsnNode node, int opcode) {
        if (opcode >= IALOAD && opcode <= SALOAD) {
            return "op:Array load" + elementType(opcode - IALOAD);
        }
        if (opcode >= IASTORE && opcode <= SASTORE) {
            return "op:Array store" + elementType(opcode - IASTORE);
        }
        if (opcode >= POP && opcode <= SWAP) {
            return "assumed:stack shuffle";
        }
        if (opcode >= IADD && opcode <= DNEG) {
            return "op:" + ARITHMETIC[(opcode - IADD) / 4] + type((opcode - IADD) % 4);
        }
        if (opcode >= ISHL && opcode <= LXOR) {
            return "op:" + BITS[(opcode - ISHL) / 2] + type((opcode - ISHL) % 2);
        }
        if (opcode >= I2L && opcode <= I2S) {
            return "op:" + CONVERSIONS[opcode - I2L];
        }
        if (opcode >= IRETURN && opcode <= ARETURN) {
            return "return:" + TYPES[opcode - IRETURN];
        }
        if (opcode >= GETSTATIC && opcode <= PUTFIELD) {
            return "op:" + field(opcode) + type(((FieldInsnNode) node).desc);
        }
        return rest(node, opcode);
    }

    private static String rest(AbstractInsnNode node, int opcode) {
        switch (opcode) {
            case IINC:
                return "op:Increase/int";
            case GOTO:
                return "op:else branch";
            case JSR:
            case RET:
                return "assumed:subroutine";
            case TABLESWITCH:
                return "op:Switch-case consecutive/int";
            case LOOKUPSWITCH:
                return "op:Switch-case non-consecutive/int";
            case NEWARRAY:
                return "op:Array allocation" + primitive(((IntInsnNode) node).operand);
            case ANEWARRAY:
                return "op:Array allocation/Reference";
            case MULTIANEWARRAY:
                return "op:Array allocation" + leaf(((MultiANewArrayInsnNode) node).desc);
            case ARRAYLENGTH:
                return "op:Array length/int";
            case ATHROW:
                return "assumed:athrow";
            case CHECKCAST:
                return "assumed:checkcast";
            case INSTANCEOF:
                return "assumed:instanceof";
            case MONITORENTER:
            case MONITOREXIT:
                return "assumed:monitor";
            default:
                return null;
        }
    }

    private static String branch(int opcode, String compared) {
        if (opcode >= IF_ACMPEQ) {
            return "op:if " + RELATIONS[opcode - IF_ACMPEQ] + " (references)/Reference";
        }
        if (opcode >= IF_ICMPEQ) {
            return "op:if " + RELATIONS[opcode - IF_ICMPEQ] + " (numerical data types)/int";
        }
        String relation = "op:if " + RELATIONS[opcode - IFEQ];
        return compared == null ? relation + " (int, 0)/int" : relation + " (numerical data types)/" + compared;
    }

    /** {@code if (x == null)} is compiled to a branch on non-null. */
    static String nullBranch(int opcode) {
        return opcode == IFNONNULL ? "op:if null (references)/Reference" : "op:if non-null (references)/Reference";
    }

    private static String size(AbstractInsnNode node) {
        int opcode = node.getOpcode();
        if (opcode >= ILOAD) {
            return "Load";
        }
        if (opcode != LDC) {
            return "Constant";
        }
        Object value = ((LdcInsnNode) node).cst;
        if (value instanceof Long || value instanceof Double) {
            return "64-bit";
        }
        return value instanceof Integer || value instanceof Float ? "32-bit" : "Reference";
    }

    private static boolean isMinusOne(AbstractInsnNode node) {
        return node.getOpcode() == ICONST_M1
                || node.getOpcode() == LDC && Long.valueOf(-1).equals(((LdcInsnNode) node).cst);
    }

    private static String field(int opcode) {
        switch (opcode) {
            case GETSTATIC:
                return "Object get static field";
            case PUTSTATIC:
                return "Object put static field";
            case GETFIELD:
                return "Object get field";
            default:
                return "Object put field";
        }
    }

    /** Of int, long, float, double, in the order of the opcodes. */
    private static String type(int index) {
        return "/" + TYPES[index];
    }

    /** Of the array opcodes, whose order goes on with reference, byte, char, short. */
    private static String elementType(int index) {
        return type(index > 4 ? 0 : index);
    }

    private static String primitive(int operand) {
        switch (operand) {
            case T_LONG:
                return "/long";
            case T_FLOAT:
                return "/float";
            case T_DOUBLE:
                return "/double";
            default:
                return "/int";
        }
    }

    /** The type of the innermost elements of an array. */
    static String leaf(String descriptor) {
        return type(descriptor.substring(descriptor.lastIndexOf('[') + 1));
    }

    static String type(String descriptor) {
        switch (Type.getType(descriptor).getSort()) {
            case Type.LONG:
                return "/long";
            case Type.FLOAT:
                return "/float";
            case Type.DOUBLE:
                return "/double";
            case Type.ARRAY:
            case Type.OBJECT:
                return "/Reference";
            default:
                return "/int";
        }
    }
}

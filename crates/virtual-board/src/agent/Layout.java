package wattline.simulation.weaver;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;

/** Arrays: how large elements are, as powers of two, lengths that are constants, types. */
final class Layout implements Opcodes {
    private Layout() {
    }

    /** The int constant an instruction pushes, or null; labels are no constants. */
    static Integer constant(AbstractInsnNode node) {
        int opcode = node == null ? -1 : node.getOpcode();
        if (opcode >= ICONST_0 && opcode <= ICONST_5) {
            return opcode - ICONST_0;
        }
        if (opcode == BIPUSH || opcode == SIPUSH) {
            return ((IntInsnNode) node).operand;
        }
        return opcode == LDC && ((LdcInsnNode) node).cst instanceof Integer ? (Integer) ((LdcInsnNode) node).cst : null;
    }

    /** Of the operand of a newarray. */
    static int primitiveShift(int operand) {
        switch (operand) {
            case T_BOOLEAN:
            case T_BYTE:
                return 0;
            case T_CHAR:
            case T_SHORT:
                return 1;
            case T_LONG:
            case T_DOUBLE:
                return 3;
            default:
                return 2;
        }
    }

    /** Of the innermost elements of an array of this descriptor. */
    static int leafShift(String descriptor) {
        switch (descriptor.charAt(descriptor.lastIndexOf('[') + 1)) {
            case 'Z':
            case 'B':
                return 0;
            case 'C':
            case 'S':
                return 1;
            case 'J':
            case 'D':
                return 3;
            default:
                return 2;
        }
    }

    /** The type of the array that an instruction makes, with all references alike; or null. */
    static String made(AbstractInsnNode node) {
        switch (node.getOpcode()) {
            case NEWARRAY:
                return primitive(((IntInsnNode) node).operand);
            case ANEWARRAY:
                return "Object[]";
            case MULTIANEWARRAY:
                String type = ((MultiANewArrayInsnNode) node).desc;
                String leaf = type.substring(type.lastIndexOf('[') + 1);
                return leaf.length() > 1 ? "Object[]" : Type.getType(leaf).getClassName().replace("boolean", "byte") + "[]";
            default:
                return null;
        }
    }

    private static String primitive(int operand) {
        switch (operand) {
            case T_LONG:
                return "long[]";
            case T_FLOAT:
                return "float[]";
            case T_DOUBLE:
                return "double[]";
            case T_BYTE:
            case T_BOOLEAN:
                return "byte[]";
            case T_CHAR:
                return "char[]";
            case T_SHORT:
                return "short[]";
            default:
                return "int[]";
        }
    }
}

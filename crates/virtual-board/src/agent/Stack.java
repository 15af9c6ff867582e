package wattline.simulation.weaver;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;

/** How many words an instruction adds to the operand stack (The Java Virtual Machine Specification, 6.5). */
final class Stack implements Opcodes {
    private Stack() {
    }

    /** The change, or null for what no expression holds: jumps, returns, and copies on the stack. */
    static Integer change(AbstractInsnNode node) {
        int opcode = node.getOpcode();
        if (node instanceof MethodInsnNode) {
            MethodInsnNode call = (MethodInsnNode) node;
            return call(call.desc, opcode == INVOKESTATIC);
        }
        if (node instanceof InvokeDynamicInsnNode) {
            return call(((InvokeDynamicInsnNode) node).desc, true);
        }
        if (node instanceof FieldInsnNode) {
            int size = Type.getType(((FieldInsnNode) node).desc).getSize();
            return opcode == GETSTATIC ? (Integer) size : opcode == GETFIELD ? (Integer) (size - 1) : null;
        }
        if (node instanceof MultiANewArrayInsnNode) {
            return 1 - ((MultiANewArrayInsnNode) node).dims;
        }
        return opcode == LDC ? constant(((LdcInsnNode) node).cst) : plain(opcode);
    }

    private static Integer call(String descriptor, boolean isStatic) {
        int sizes = Type.getArgumentsAndReturnSizes(descriptor);
        return (sizes & 3) - (sizes >> 2) + (isStatic ? 1 : 0);
    }

    private static Integer constant(Object value) {
        return value instanceof Long || value instanceof Double ? 2 : 1;
    }

    private static Integer plain(int opcode) {
        if (opcode >= ACONST_NULL && opcode <= ALOAD) {
            boolean wide = opcode == LCONST_0 || opcode == LCONST_1 || opcode == DCONST_0 || opcode == DCONST_1
                    || opcode == LLOAD || opcode == DLOAD;
            return wide ? 2 : 1;
        }
        if (opcode >= IALOAD && opcode <= SALOAD) {
            return opcode == LALOAD || opcode == DALOAD ? 0 : -1;
        }
        if (opcode >= IADD && opcode <= DREM) {
            return (opcode - IADD) % 2 == 0 ? -1 : -2;
        }
        if (opcode >= ISHL && opcode <= LUSHR) {
            return -1;
        }
        if (opcode >= IAND && opcode <= LXOR) {
            return (opcode - IAND) % 2 == 0 ? -1 : -2;
        }
        return rest(opcode);
    }

    private static Integer rest(int opcode) {
        switch (opcode) {
            case I2L:
            case I2D:
            case F2L:
            case F2D:
            case NEW:
                return 1;
            case L2I:
            case L2F:
            case D2I:
            case D2F:
            case FCMPL:
            case FCMPG:
                return -1;
            case LCMP:
            case DCMPL:
            case DCMPG:
                return -3;
            case INEG:
            case LNEG:
            case FNEG:
            case DNEG:
            case I2F:
            case L2D:
            case F2I:
            case D2L:
            case I2B:
            case I2C:
            case I2S:
            case ARRAYLENGTH:
            case NEWARRAY:
            case ANEWARRAY:
            case CHECKCAST:
            case INSTANCEOF:
            case NOP:
                return 0;
            default:
                return null;
        }
    }
}

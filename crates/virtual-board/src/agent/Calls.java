package wattline.simulation.weaver;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** The library calls that are sent to the board instead: its clock, and prints, which carry its time. */
final class Calls {
    static final String METER = "wattline/simulation/Meter";

    private Calls() {
    }

    /** The descriptor of Meter's method of the same name that stands in for a call, or null. */
    static String onTheBoard(String owner, String name, String descriptor) {
        switch (owner) {
            case "java/lang/System":
                return name.equals("nanoTime") || name.equals("currentTimeMillis") ? descriptor : null;
            case "java/lang/Thread":
                return name.equals("sleep") && descriptor.startsWith("(J") ? descriptor : null;
            case "java/util/concurrent/locks/LockSupport":
                return name.equals("parkNanos") ? descriptor : null;
            case "java/util/concurrent/TimeUnit":
                return name.equals("sleep") ? "(Ljava/util/concurrent/TimeUnit;J)V" : null;
            default:
                return null;
        }
    }

    /**
     * Whether a class is the housekeeping of the probes (writing counts on a thread of its
     * own). On a board it has a core of its own, so its work is nobody's.
     */
    static boolean isHousekeeping(String name) {
        return name.startsWith("wattline$rt") && name.endsWith("/W$Flush");
    }

    /**
     * Sends a method's calls of the clock to the board, and counts nothing. Whoever tells
     * the housekeeping that it slept long enough waits for its work.
     */
    static void redirect(MethodNode method) {
        for (AbstractInsnNode node : method.instructions.toArray()) {
            if (node instanceof MethodInsnNode) {
                MethodInsnNode call = (MethodInsnNode) node;
                String stand = onTheBoard(call.owner, call.name, call.desc);
                if (stand != null) {
                    call.setOpcode(Opcodes.INVOKESTATIC);
                    call.owner = METER;
                    call.name = call.name.equals("sleep") && call.desc.equals("(J)V") ? "rest" : call.name;
                    call.desc = stand;
                    call.itf = false;
                }
            }
        }
    }

    static boolean prints(String owner, String name) {
        return owner.equals("java/io/PrintStream") && !name.equals("close") && !name.equals("<init>");
    }

    /** What an invokedynamic makes, as the library table names it. */
    static String dynamic(String factory) {
        switch (factory) {
            case "java/lang/invoke/LambdaMetafactory":
                return "invokedynamic.lambda";
            case "java/lang/invoke/StringConcatFactory":
                return "invokedynamic.concat";
            default:
                return "invokedynamic.other";
        }
    }

    /** The pattern of a call of the application's own method. */
    static String own(int opcode) {
        return opcode == Opcodes.INVOKESTATIC ? "op:Static method call" : "op:Non-static method call";
    }
}

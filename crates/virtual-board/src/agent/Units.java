package wattline.simulation.weaver;

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;

/**
 * Which library functions cost by an amount, and the code that counts it. A value
 * on the stack is duplicated and handed to Meter; stack and frames stay as they were.
 */
final class Units implements Opcodes {
    private final Map<String, String> byFunction = new HashMap<>();

    /** Lines of FUNCTION, tab, UNIT. */
    Units(String path) throws IOException {
        try (BufferedReader in = new BufferedReader(new FileReader(path))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int tab = line.indexOf('\t');
                byFunction.put(line.substring(0, tab), line.substring(tab + 1));
            }
        }
    }

    /** The unit of a call, or null: the entry with the parameter types stands before the one without. */
    String of(String call) {
        String exact = byFunction.get(call);
        return exact != null ? exact : byFunction.get(call.substring(0, call.indexOf('(')));
    }

    /** Does the unit fit the call? */
    static boolean fits(String unit, boolean isStatic, String name, String descriptor) {
        Type[] arguments = Type.getArgumentTypes(descriptor);
        int count = arguments.length;
        switch (unit) {
            case "amount":
                return count > 0 && isInt(arguments[count - 1]);
            case "range":
                return count > 1 && isInt(arguments[count - 1]) && isInt(arguments[count - 2]);
            case "argument":
                return count > 0 && isReference(arguments[count - 1]);
            case "below":
                return count == 0 ? !isStatic
                        : count == 1 ? !isStatic && !name.equals("<init>")
                        : count == 2 && isReference(arguments[0]);
            default:
                return unit.equals("result") && isReference(Type.getReturnType(descriptor));
        }
    }

    /** Counts the unit of a call into the slot that code gives; for "result" after the call, else before it. */
    static InsnList count(String unit, String descriptor, InsnList slot) {
        InsnList code = new InsnList();
        Type[] arguments = Type.getArgumentTypes(descriptor);
        boolean wide = arguments.length > 0 && arguments[arguments.length - 1].getSize() == 2;
        String method = "size(Ljava/lang/Object;I)V";
        if (unit.equals("amount")) {
            code.add(new InsnNode(DUP));
            method = "add(II)V";
        } else if (unit.equals("range")) {
            code.add(new InsnNode(DUP2));
            method = "range(III)V";
        } else if (unit.equals("below") && arguments.length > 0) {
            copyBelow(code, wide);
        } else {
            code.add(new InsnNode(DUP));
        }
        code.add(slot);
        int parameters = method.indexOf('(');
        code.add(new MethodInsnNode(
                INVOKESTATIC, Calls.METER, method.substring(0, parameters), method.substring(parameters), false));
        return code;
    }

    private static void copyBelow(InsnList code, boolean wide) {
        if (wide) {
            code.add(new InsnNode(DUP2_X1));
            code.add(new InsnNode(POP2));
            code.add(new InsnNode(DUP_X2));
        } else {
            code.add(new InsnNode(DUP2));
            code.add(new InsnNode(POP));
        }
    }

    private static boolean isInt(Type type) {
        return type.getSort() == Type.INT;
    }

    private static boolean isReference(Type type) {
        return type.getSort() >= Type.ARRAY;
    }
}


/** The instructions of a class file's methods as lines of text. */
final class ClassCode {
    private ClassCode() {
    }

    /** Writes each method with code, and its instructions, as {@link CodeListing} describes. */
    static void list(org.objectweb.asm.tree.ClassNode node, StringBuilder out) {
        for (org.objectweb.asm.tree.MethodNode method : node.methods) {
            if (method.instructions.size() == 0) {
                continue;
            }
            out.append(head(node, method));
            java.util.Map<org.objectweb.asm.tree.AbstractInsnNode, Integer> places = places(method);
            for (org.objectweb.asm.tree.AbstractInsnNode one : method.instructions) {
                if (one.getOpcode() >= 0) {
                    out.append(line(one, places)).append('\n');
                }
            }
        }
    }

    /** The line of a method. */
    static String head(org.objectweb.asm.tree.ClassNode node, org.objectweb.asm.tree.MethodNode method) {
        return "method\tclass\t" + plain(node.name.replace('/', '.')) + "\t" + plain(method.name) + "\t"
                + plain(method.desc) + "\n";
    }

    /** A name in a line: it may have any character, those that end a field, too. */
    static String plain(String name) {
        return name.replaceAll("\\p{Cntrl}", "?");
    }

    /** The number of the instruction at each node, or of the next one after it. */
    static java.util.Map<org.objectweb.asm.tree.AbstractInsnNode, Integer> places(
            org.objectweb.asm.tree.MethodNode method) {
        java.util.Map<org.objectweb.asm.tree.AbstractInsnNode, Integer> places = new java.util.HashMap<>();
        int number = 0;
        for (org.objectweb.asm.tree.AbstractInsnNode one : method.instructions) {
            places.put(one, number);
            number += one.getOpcode() >= 0 ? 1 : 0;
        }
        return places;
    }

    /** One instruction: name, operand or -, number of the instruction that it jumps to or -. */
    static String line(
            org.objectweb.asm.tree.AbstractInsnNode one,
            java.util.Map<org.objectweb.asm.tree.AbstractInsnNode, Integer> places) {
        String name = org.objectweb.asm.util.Printer.OPCODES[one.getOpcode()].toLowerCase(java.util.Locale.ROOT);
        String target = "-";
        if (one instanceof org.objectweb.asm.tree.JumpInsnNode) {
            target = String.valueOf(places.get(((org.objectweb.asm.tree.JumpInsnNode) one).label));
        }
        return "instruction\t" + name + "\t" + plain(operand(one)) + "\t" + target;
    }

    private static String operand(org.objectweb.asm.tree.AbstractInsnNode one) {
        if (one instanceof org.objectweb.asm.tree.FieldInsnNode) {
            org.objectweb.asm.tree.FieldInsnNode field = (org.objectweb.asm.tree.FieldInsnNode) one;
            return field.owner + "." + field.name + ":" + field.desc;
        }
        if (one instanceof org.objectweb.asm.tree.MethodInsnNode) {
            org.objectweb.asm.tree.MethodInsnNode call = (org.objectweb.asm.tree.MethodInsnNode) one;
            return call.owner + "." + call.name + ":" + call.desc;
        }
        if (one instanceof org.objectweb.asm.tree.InvokeDynamicInsnNode) {
            org.objectweb.asm.tree.InvokeDynamicInsnNode call = (org.objectweb.asm.tree.InvokeDynamicInsnNode) one;
            return call.bsm.getOwner() + "." + call.name + ":" + call.desc;
        }
        if (one instanceof org.objectweb.asm.tree.LdcInsnNode) {
            Object value = ((org.objectweb.asm.tree.LdcInsnNode) one).cst;
            boolean isMinusOne = Long.valueOf(-1).equals(value);
            return value instanceof Integer ? "I" : value instanceof Float ? "F"
                    : value instanceof Long ? isMinusOne ? "J-1" : "J" : value instanceof Double ? "D" : "L";
        }
        if (one instanceof org.objectweb.asm.tree.IntInsnNode) {
            return String.valueOf(((org.objectweb.asm.tree.IntInsnNode) one).operand);
        }
        if (one instanceof org.objectweb.asm.tree.TypeInsnNode) {
            return ((org.objectweb.asm.tree.TypeInsnNode) one).desc;
        }
        if (one instanceof org.objectweb.asm.tree.MultiANewArrayInsnNode) {
            org.objectweb.asm.tree.MultiANewArrayInsnNode made = (org.objectweb.asm.tree.MultiANewArrayInsnNode) one;
            return made.dims + made.desc;
        }
        return "-";
    }
}

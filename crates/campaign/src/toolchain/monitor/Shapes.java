package wattline.monitor.service;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * What a class's methods look like before probes go in: their lines, and whether they are
 * too small to carry one. A method without a loop that calls nothing, or only passes on to
 * another, costs less than a probe; its time is its caller's.
 */
final class Shapes extends ClassVisitor {
    private static final int LEAF = 40;
    private static final int PASS_ON = 12;

    private final Map<String, Shape> shapes = new HashMap<>();
    String file;

    private Shapes() {
        super(Opcodes.ASM9);
    }

    static Shapes of(ClassReader reader) {
        Shapes shapes = new Shapes();
        reader.accept(shapes, ClassReader.SKIP_FRAMES);
        return shapes;
    }

    /** Whether any method is to carry a probe. */
    boolean hasWork(boolean small) {
        for (Shape shape : shapes.values()) {
            if (shape.carriesProbe(small)) {
                return true;
            }
        }
        return false;
    }

    Shape of(String name, String descriptor) {
        return shapes.get(name + descriptor);
    }

    @Override
    public void visitSource(String source, String debug) {
        file = source;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
        Shape shape = new Shape(access);
        shapes.put(name + descriptor, shape);
        return shape;
    }

    /** One method. */
    static final class Shape extends MethodVisitor {
        private final int access;
        private final Set<Label> seen = new HashSet<>();
        private int instructions;
        private int calls;
        private boolean loops;
        int first;
        int last;

        Shape(int access) {
            super(Opcodes.ASM9);
            this.access = access;
        }

        /** Whether it is to carry one; small ones do where it is asked for. */
        boolean carriesProbe(boolean small) {
            boolean hasCode = (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) == 0;
            return hasCode && (small || !isTrivial());
        }

        private boolean isTrivial() {
            boolean bridge = (access & Opcodes.ACC_BRIDGE) != 0;
            return bridge || !loops && (calls == 0 ? instructions <= LEAF : calls == 1 && instructions <= PASS_ON);
        }

        @Override
        public void visitLineNumber(int line, Label start) {
            first = first == 0 ? line : Math.min(first, line);
            last = Math.max(last, line);
        }

        @Override
        public void visitLabel(Label label) {
            seen.add(label);
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            instructions++;
            loops |= seen.contains(label);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            instructions++;
            // one that waits needs its probe, or its caller would be charged for waiting
            calls += Waits.is(owner, name, descriptor) ? 2 : 1;
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            instructions++;
            calls++;
        }

        @Override
        public void visitInsn(int opcode) {
            instructions++;
            if (opcode == Opcodes.MONITORENTER) {
                calls += 2;
            }
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            instructions++;
        }

        @Override
        public void visitVarInsn(int opcode, int variable) {
            instructions++;
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            instructions++;
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            instructions++;
        }

        @Override
        public void visitLdcInsn(Object value) {
            instructions++;
        }

        @Override
        public void visitIincInsn(int variable, int increment) {
            instructions++;
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
            instructions++;
            calls++;
        }

        @Override
        public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
            instructions++;
            calls++;
        }

        @Override
        public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
            instructions++;
        }
    }
}

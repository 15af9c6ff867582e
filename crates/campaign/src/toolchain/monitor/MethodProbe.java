package wattline.monitor.service;

import java.util.Arrays;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.AdviceAdapter;

/**
 * Puts a probe at the begin and at every end of a method, also by an exception, and around
 * calls that wait: a method that waits does not compute, however long it takes.
 */
final class MethodProbe extends AdviceAdapter {
    private static final String PROBE = "wattline/monitor/probe/Probe";

    private final int number;
    private final Label begin = new Label();
    private int frame = -1;

    MethodProbe(MethodVisitor next, int access, String name, String descriptor, int number) {
        super(Opcodes.ASM9, next, access, name, descriptor);
        this.number = number;
    }

    @Override
    protected void onMethodEnter() {
        push(number);
        mv.visitMethodInsn(INVOKESTATIC, PROBE, "begin", "(I)I", false);
        frame = newLocal(Type.INT_TYPE);
        mv.visitVarInsn(ISTORE, frame);
        mv.visitLabel(begin);
    }

    @Override
    protected void onMethodExit(int opcode) {
        // a throw inside is seen by the handler at the end
        if (opcode != ATHROW && frame >= 0) {
            end();
        }
    }

    private void end() {
        mv.visitVarInsn(ILOAD, frame);
        mv.visitMethodInsn(INVOKESTATIC, PROBE, "end", "(I)V", false);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        boolean waits = frame >= 0 && Waits.is(owner, name, descriptor);
        if (waits) {
            // also where the method is not measured: a caller of it may be
            mv.visitMethodInsn(INVOKESTATIC, PROBE, "pause", "()V", false);
        }
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        if (waits) {
            mv.visitMethodInsn(INVOKESTATIC, PROBE, "resume", "()V", false);
        }
    }

    @Override
    public void visitMaxs(int stack, int locals) {
        if (frame >= 0) {
            Label end = new Label();
            mv.visitTryCatchBlock(begin, end, end, null);
            mv.visitLabel(end);
            // of the locals, only the frame is needed, so it may be reached with any others
            Object[] needed = new Object[frame + 1];
            Arrays.fill(needed, TOP);
            needed[frame] = INTEGER;
            mv.visitFrame(F_NEW, needed.length, needed, 1, new Object[] {"java/lang/Throwable"});
            end();
            mv.visitInsn(ATHROW);
        }
        super.visitMaxs(stack, locals);
    }
}

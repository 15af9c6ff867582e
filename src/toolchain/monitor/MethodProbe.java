package wattline.monitor.service;

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
    private static final String RECORD = "wattline/monitor/probe/ThreadRecord";
    private static final Type RECORD_TYPE = Type.getObjectType(RECORD);

    private final int number;
    private final Label begin = new Label();
    private int record = -1;

    MethodProbe(MethodVisitor next, int access, String name, String descriptor, int number) {
        super(Opcodes.ASM9, next, access, name, descriptor);
        this.number = number;
    }

    @Override
    protected void onMethodEnter() {
        push(number);
        visitMethodInsn(INVOKESTATIC, PROBE, "enter", "(I)L" + RECORD + ";", false);
        record = newLocal(RECORD_TYPE);
        storeLocal(record);
        mark(begin);
    }

    @Override
    protected void onMethodExit(int opcode) {
        // a throw inside is seen by the handler at the end
        if (opcode != ATHROW && record >= 0) {
            loadLocal(record);
            push(number);
            super.visitMethodInsn(INVOKEVIRTUAL, RECORD, "exit", "(I)V", false);
        }
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        boolean waits = record >= 0 && Waits.is(owner, name, descriptor);
        if (waits) {
            loadLocal(record);
            super.visitMethodInsn(INVOKEVIRTUAL, RECORD, "pause", "()V", false);
        }
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        if (waits) {
            loadLocal(record);
            super.visitMethodInsn(INVOKEVIRTUAL, RECORD, "resume", "()V", false);
        }
    }

    @Override
    public void visitMaxs(int stack, int locals) {
        if (record >= 0) {
            Label end = new Label();
            mv.visitTryCatchBlock(begin, end, end, null);
            mv.visitLabel(end);
            // no local is needed in the handler, so it may be reached with any of them
            mv.visitFrame(F_NEW, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"});
            mv.visitLdcInsn(number);
            mv.visitMethodInsn(INVOKESTATIC, PROBE, "fail", "(I)V", false);
            mv.visitInsn(ATHROW);
        }
        super.visitMaxs(stack, locals);
    }
}

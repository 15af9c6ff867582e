package wattline.monitor.service;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Notices the JVM's end where the platform begins it, before all shutdown hooks, of which
 * Flight Recorder's is one, and also where it is halted without them.
 */
final class Endings implements ClassFileTransformer {
    static final String CLASS = "java.lang.Shutdown";

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] bytes) {
        if (loader != null || !CLASS.replace('.', '/').equals(name)) {
            return null;
        }
        try {
            ClassReader reader = new ClassReader(bytes);
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
                @Override
                public MethodVisitor visitMethod(int access, String method, String descriptor, String signature,
                        String[] exceptions) {
                    MethodVisitor next = super.visitMethod(access, method, descriptor, signature, exceptions);
                    return isEnd(method + descriptor) ? new Notice(next) : next;
                }
            }, 0);
            return writer.toByteArray();
        } catch (Throwable problem) {
            Service.complain("the JVM's end is not noticed: " + problem);
            return null;
        }
    }

    private static boolean isEnd(String method) {
        return method.equals("exit(I)V") || method.equals("halt(I)V") || method.equals("shutdown()V");
    }

    private static final class Notice extends MethodVisitor {
        Notice(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            super.visitMethodInsn(Opcodes.INVOKESTATIC, "wattline/monitor/probe/Probe", "ends", "()V", false);
        }
    }
}

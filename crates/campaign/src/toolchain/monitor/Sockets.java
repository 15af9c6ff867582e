package wattline.monitor.service;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Counts the bytes of sockets where the platform reads and writes them: at the normal ends
 * of a few methods of its own. They have no branches to add, so frames stay as they are.
 * A read of a blocking socket waits for its bytes: that is no work of the reading method.
 */
final class Sockets implements ClassFileTransformer {
    /** The platform's classes, from Java 11 on; those that a release doesn't have are left out. */
    static final String[] CLASSES = {
        "sun.nio.ch.SocketChannelImpl", "sun.nio.ch.NioSocketImpl",
        "java.net.SocketInputStream", "java.net.SocketOutputStream",
    };
    private static final String PROBE = "wattline/monitor/probe/Probe";

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] bytes) {
        if (loader != null || name == null || !isOne(name)) {
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
                    String probe = probe(method, descriptor);
                    boolean waits = "read".equals(probe) && !name.endsWith("ChannelImpl");
                    return probe == null ? next : new Counter(next, probe, descriptor, waits);
                }
            }, 0);
            return writer.toByteArray();
        } catch (Throwable problem) {
            Service.complain(name.replace('/', '.') + ": bytes of its sockets are not counted: " + problem);
            return null;
        }
    }

    private static boolean isOne(String name) {
        for (String one : CLASSES) {
            if (name.equals(one.replace('.', '/'))) {
                return true;
            }
        }
        return false;
    }

    /** The probe of a method; none for one that passes on to another that has it. */
    private static String probe(String method, String descriptor) {
        switch (method + descriptor) {
            case "read(Ljava/nio/ByteBuffer;)I":
            case "read([Ljava/nio/ByteBuffer;II)J":
            case "blockingRead([BIIJ)I":
            case "read([BII)I":
            case "read([BIII)I":
                return "read";
            case "write(Ljava/nio/ByteBuffer;)I":
            case "write([Ljava/nio/ByteBuffer;II)J":
            case "blockingWriteFully([BII)V":
            case "write([BII)V":
            case "socketWrite([BII)V":
                return "written";
            default:
                return null;
        }
    }

    private static final class Counter extends MethodVisitor {
        private final String probe;
        private final boolean isStaticLength;
        private final boolean waits;

        Counter(MethodVisitor next, String probe, String descriptor, boolean waits) {
            super(Opcodes.ASM9, next);
            this.probe = probe;
            this.waits = waits;
            this.isStaticLength = descriptor.endsWith("V");
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (waits) {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, PROBE, "waiting", "()V", false);
            }
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.IRETURN) {
                super.visitInsn(Opcodes.DUP);
                super.visitInsn(Opcodes.I2L);
                count();
            } else if (opcode == Opcodes.LRETURN) {
                super.visitInsn(Opcodes.DUP2);
                count();
            } else if (opcode == Opcodes.RETURN && isStaticLength) {
                // all bytes of the third argument were written
                super.visitVarInsn(Opcodes.ILOAD, 3);
                super.visitInsn(Opcodes.I2L);
                count();
            }
            super.visitInsn(opcode);
        }

        private void count() {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, PROBE, probe, "(J)V", false);
        }
    }
}

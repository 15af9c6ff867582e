package wattline.monitor.service;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import wattline.monitor.probe.Live;

/** Puts probes into the classes that the filter accepts. */
final class Weaver implements ClassFileTransformer {
    private final Filter filter;
    private final Methods methods;
    private final boolean small;

    Weaver(Filter filter, Methods methods, boolean small) {
        this.filter = filter;
        this.methods = methods;
        this.small = small;
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] bytes) {
        if (name == null || loader == null || !filter.accepts(name.replace('/', '.'))) {
            return null;
        }
        try {
            return woven(name, bytes);
        } catch (Throwable problem) {
            // a class that can't be woven runs as it is; the service says so
            Service.complain(name.replace('/', '.') + ": " + problem);
            return null;
        }
    }

    private byte[] woven(String name, byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        Shapes shapes = Shapes.of(reader);
        if (!shapes.hasWork(small)) {
            return null;
        }
        // maximal stack sizes are computed; frames are kept and added to, which needs no
        // knowledge of other classes
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        boolean[] changed = {false};
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String method, String descriptor, String signature,
                    String[] exceptions) {
                MethodVisitor next = super.visitMethod(access, method, descriptor, signature, exceptions);
                Shapes.Shape shape = shapes.of(method, descriptor);
                if (!shape.carriesProbe(small)) {
                    return next;
                }
                int number = methods.number(name.replace('/', '.'), method, descriptor, shapes.file, shape.first,
                        shape.last);
                if (number >= Live.LIMIT || methods.isFolded(number)) {
                    return next;
                }
                if (methods.isNew(number)) {
                    Live.always(number);
                }
                changed[0] = true;
                return new MethodProbe(next, access, method, descriptor, number);
            }
        }, ClassReader.EXPAND_FRAMES);
        return changed[0] ? writer.toByteArray() : null;
    }
}

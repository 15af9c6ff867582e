package wattline.board.installer;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** What a package uses of Android's framework that the board's does not have. */
final class References {
    /** Packages of classes that come with Android, not with Java and not with applications. */
    private static final String[] PLATFORM =
        {"android/", "dalvik/", "com/android/internal/", "org/json/", "org/xmlpull/", "org/apache/http/"};
    private static final int NAMED = 12;

    private final Map<String, Shape> shapes = new HashMap<>();
    private final Set<String> missing = new TreeSet<>();

    /** What a class has, and where the rest comes from. */
    private static final class Shape {
        final Set<String> members = new HashSet<>();
        final Set<String> parents = new HashSet<>();
    }

    private References() {
    }

    /** Refuses a package by the names of what is missing. */
    static void check(File classes, File framework) throws Refused, IOException {
        References references = new References();
        Map<String, ClassNode> own = nodes(classes);
        own.values().forEach(references::learn);
        nodes(framework).values().forEach(references::learn);
        own.values().forEach(references::look);
        if (!references.missing.isEmpty()) {
            throw new Refused("INSTALL_FAILED_MISSING_SHARED_LIBRARY", references.said());
        }
    }

    private String said() {
        String named = missing.stream().limit(NAMED).collect(Collectors.joining(", "));
        String more = missing.size() > NAMED ? " and " + (missing.size() - NAMED) + " more" : "";
        return "this board's framework has no " + named + more;
    }

    private static Map<String, ClassNode> nodes(File jar) throws IOException {
        Map<String, ClassNode> nodes = new HashMap<>();
        try (ZipFile zip = new ZipFile(jar)) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                if (entry.getName().endsWith(".class")) {
                    try (InputStream bytes = zip.getInputStream(entry)) {
                        ClassNode node = new ClassNode();
                        new ClassReader(bytes).accept(node, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
                        nodes.put(node.name, node);
                    }
                }
            }
        }
        return nodes;
    }

    private void learn(ClassNode node) {
        Shape shape = new Shape();
        if (node.superName != null) {
            shape.parents.add(node.superName);
        }
        shape.parents.addAll(node.interfaces);
        for (MethodNode method : node.methods) {
            shape.members.add(method.name + method.desc);
        }
        for (FieldNode field : node.fields) {
            shape.members.add(field.name);
        }
        shapes.putIfAbsent(node.name, shape);
    }

    /** One of Java's own, by reflection: its class file may be newer than what ASM reads. */
    private void learn(Class<?> java) {
        Shape shape = new Shape();
        if (java.getSuperclass() != null) {
            shape.parents.add(Type.getInternalName(java.getSuperclass()));
        }
        for (Class<?> parent : java.getInterfaces()) {
            shape.parents.add(Type.getInternalName(parent));
        }
        for (Method method : java.getDeclaredMethods()) {
            shape.members.add(method.getName() + Type.getMethodDescriptor(method));
        }
        for (Constructor<?> constructor : java.getDeclaredConstructors()) {
            shape.members.add("<init>" + Type.getConstructorDescriptor(constructor));
        }
        for (Field field : java.getDeclaredFields()) {
            shape.members.add(field.getName());
        }
        shapes.putIfAbsent(Type.getInternalName(java), shape);
    }

    private void look(ClassNode node) {
        // What is mapped is not kept; a visitor that wanted nothing would not be shown the code.
        node.accept(new ClassRemapper(new ClassNode(), new Remapper(Opcodes.ASM9) {
            @Override
            public String map(String name) {
                if (isPlatform(name) && !shapes.containsKey(name)) {
                    missing.add(name.replace('/', '.'));
                }
                return name;
            }
        }));
        for (MethodNode method : node.methods) {
            for (AbstractInsnNode instruction : method.instructions) {
                member(instruction);
            }
        }
    }

    private void member(AbstractInsnNode instruction) {
        if (instruction instanceof MethodInsnNode) {
            MethodInsnNode call = (MethodInsnNode) instruction;
            member(call.owner, call.name + call.desc, call.name + arguments(call.desc));
        } else if (instruction instanceof FieldInsnNode) {
            FieldInsnNode field = (FieldInsnNode) instruction;
            member(field.owner, field.name, field.name);
        }
    }

    private void member(String owner, String member, String readable) {
        String platform = owner.startsWith("[") ? null : platformOf(owner);
        if (platform != null && !has(owner, member)) {
            missing.add(platform.replace('/', '.') + "." + readable);
        }
    }

    private static String arguments(String descriptor) {
        StringBuilder text = new StringBuilder("(");
        for (Type type : Type.getArgumentTypes(descriptor)) {
            text.append(text.length() == 1 ? "" : ",").append(type.getClassName());
        }
        return text.append(')').toString();
    }

    private static boolean isPlatform(String name) {
        for (String prefix : PLATFORM) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    /** The class of the board's framework that a class is or extends; null if there is none. */
    private String platformOf(String name) {
        Shape shape = shapes.get(name);
        if (shape == null) {
            return null;
        }
        if (isPlatform(name)) {
            return name;
        }
        for (String parent : shape.parents) {
            String found = platformOf(parent);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private boolean has(String name, String member) {
        Shape shape = shapes.get(name);
        if (shape == null) {
            // Of a class that is named as missing already, or of Java's own.
            return isPlatform(name) || javaHas(name, member);
        }
        if (shape.members.contains(member)) {
            return true;
        }
        boolean isObject = name.equals("java/lang/Object");
        boolean inherited = false;
        for (String parent : shape.parents) {
            inherited = inherited || has(parent, member);
        }
        return inherited || !isObject && javaHas("java/lang/Object", member);
    }

    private boolean javaHas(String name, String member) {
        if (!shapes.containsKey(name)) {
            try {
                learn(Class.forName(name.replace('/', '.'), false, ClassLoader.getPlatformClassLoader()));
            } catch (ClassNotFoundException | LinkageError e) {
                return true;
            }
        }
        return has(name, member);
    }
}

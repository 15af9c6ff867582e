package wattline.simulation.weaver;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.ClassNode;

/** The classes of the application: which they are, what they declare, how large their objects are. */
final class Hierarchy {
    /** Bytes of a header (compressed class pointers). */
    private static final int HEADER = 12;
    /** Bytes taken for the fields of a library class that an application class extends. */
    private static final int LIBRARY_FIELDS = 20;

    /** Below it, by a class's name: what the blocks hold of the code that it was translated from. */
    private static final String BLOCKS = "wattline/blocks/";

    private final Map<String, ZipFile> entries = new HashMap<>();
    private final Map<String, File> files = new HashMap<>();
    private final Map<String, Info> known = new HashMap<>();

    /** What a class file says about its class. */
    private static final class Info extends ClassVisitor {
        String parent;
        String[] interfaces = {};
        int fieldBytes;
        final Set<String> methods = new HashSet<>();

        Info() {
            super(Opcodes.ASM9);
        }

        @Override
        public void visit(int version, int access, String name, String signature, String superName, String[] itf) {
            parent = superName;
            interfaces = itf == null ? interfaces : itf;
        }

        @Override
        public FieldVisitor visitField(int access, String name, String descriptor, String signature, Object value) {
            if ((access & Opcodes.ACC_STATIC) == 0) {
                fieldBytes += fieldSize(descriptor.charAt(0));
            }
            return null;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String sig, String[] exceptions) {
            methods.add(name + descriptor);
            return null;
        }
    }

    Hierarchy(String application) throws IOException {
        for (String part : application.split(File.pathSeparator)) {
            File file = new File(part);
            if (file.isDirectory()) {
                addFolder(file, "");
            } else if (file.isFile()) {
                addJar(new ZipFile(file));
            }
        }
    }

    private void addFolder(File folder, String prefix) {
        File[] children = folder.listFiles();
        if (children == null) {
            return;
        }
        for (File child : children) {
            String name = child.getName();
            if (child.isDirectory()) {
                addFolder(child, prefix + name + "/");
            } else if (name.endsWith(".class")) {
                files.put(prefix + name.substring(0, name.length() - 6), child);
            }
        }
    }

    private void addJar(ZipFile jar) {
        for (Enumeration<? extends ZipEntry> all = jar.entries(); all.hasMoreElements(); ) {
            String name = all.nextElement().getName();
            if (name.endsWith(".class")) {
                entries.put(name.substring(0, name.length() - 6), jar);
            }
        }
    }

    /**
     * Fails where ASM is older than the application's newest class: what is not counted would
     * take no time and no energy, and nothing measured would be true.
     */
    void checkReadable() throws IOException {
        String newest = null;
        int version = 0;
        Set<String> names = new HashSet<>(entries.keySet());
        names.addAll(files.keySet());
        for (String name : names) {
            try (DataInputStream in = new DataInputStream(open(name))) {
                // the magic number, the minor version
                in.readInt();
                in.readUnsignedShort();
                int found = in.readUnsignedShort();
                if (found > version && !name.startsWith("META-INF/")) {
                    version = found;
                    newest = name;
                }
            } catch (EOFException empty) {
                continue;
            }
        }
        if (newest != null) {
            try (InputStream in = open(newest)) {
                new ClassReader(in);
            } catch (IllegalArgumentException unknown) {
                throw new IllegalStateException("wattline: the application's classes are of Java " + (version - 44)
                        + ", which this ASM does not know: let Maven fetch a newer one, name one in WATTLINE_ASM,"
                        + " or set java_release in [application]", unknown);
            }
        }
    }

    /** Is this internal name a class of the application? */
    boolean isApplication(String name) {
        return entries.containsKey(name) || files.containsKey(name);
    }

    /** Remembers a class from the bytes that are being defined. */
    void learn(String name, ClassReader reader) {
        Info info = new Info();
        reader.accept(info, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        known.put(name, info);
    }

    private Info info(String name) {
        Info info = known.get(name);
        if (info == null) {
            try (InputStream in = open(name)) {
                learn(name, new ClassReader(in));
            } catch (IOException | RuntimeException e) {
                known.put(name, new Info());
            }
            info = known.get(name);
        }
        return info;
    }

    /** The class that a class of the application extends. */
    String parent(String name) {
        return info(name).parent;
    }

    /** The code of a class of the application, without lines and frames; null if it can't be read. */
    ClassNode code(String name) {
        try (InputStream in = open(name)) {
            ClassNode node = new ClassNode();
            new ClassReader(in).accept(node, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            Marks.strip(node);
            return node;
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    /** Whether a class was translated from other code, whose blocks are marked in it. */
    boolean isMarked(String name) {
        ZipFile jar = entries.get(name);
        return jar != null && jar.getEntry(BLOCKS + name) != null;
    }

    /** The blocks of what a class was translated from; null if it was not. */
    Marks marks(String name) throws IOException {
        if (!isMarked(name)) {
            return null;
        }
        ZipFile jar = entries.get(name);
        try (InputStream in = jar.getInputStream(jar.getEntry(BLOCKS + name))) {
            return new Marks(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private InputStream open(String name) throws IOException {
        ZipFile jar = entries.get(name);
        return jar == null ? new FileInputStream(files.get(name)) : jar.getInputStream(jar.getEntry(name + ".class"));
    }

    /**
     * The library class whose method a call means, or null if the application
     * declares the method itself.
     */
    String libraryOwner(String owner, String name, String descriptor) {
        if (owner.charAt(0) == '[') {
            return "java/lang/Object";
        }
        String method = name + descriptor;
        String at = owner;
        while (at != null && isApplication(at)) {
            if (info(at).methods.contains(method)) {
                return null;
            }
            at = info(at).parent;
        }
        if (at == null || !at.equals("java/lang/Object") || owner.equals(at)) {
            return at == null ? "java/lang/Object" : at;
        }
        String declared = fromInterfaces(owner, method);
        return declared == null ? at : declared.isEmpty() ? null : declared;
    }

    /** Empty if an application interface declares it; else a library interface, or null. */
    private String fromInterfaces(String owner, String method) {
        String library = null;
        for (String at = owner; at != null && isApplication(at); at = info(at).parent) {
            for (String one : info(at).interfaces) {
                String found = isApplication(one)
                        ? info(one).methods.contains(method) ? "" : fromInterfaces(one, method)
                        : objectDeclares(method) ? null : one;
                if (found != null && found.isEmpty()) {
                    return found;
                }
                library = library == null ? found : library;
            }
        }
        return library;
    }

    private static boolean objectDeclares(String method) {
        return method.equals("hashCode()I") || method.equals("equals(Ljava/lang/Object;)Z")
                || method.equals("toString()Ljava/lang/String;") || method.equals("getClass()Ljava/lang/Class;")
                || method.startsWith("wait(") || method.startsWith("notify");
    }

    /** Bytes of an object of an application class. */
    int objectBytes(String name) {
        int bytes = HEADER;
        String at = name;
        while (at != null && isApplication(at)) {
            bytes += info(at).fieldBytes;
            at = info(at).parent;
        }
        if (at != null && !at.equals("java/lang/Object")) {
            bytes += LIBRARY_FIELDS;
        }
        return (bytes + 7) & -8;
    }

    private static int fieldSize(char sort) {
        switch (sort) {
            case 'Z':
            case 'B':
                return 1;
            case 'C':
            case 'S':
                return 2;
            case 'J':
            case 'D':
                return 8;
            default:
                return 4;
        }
    }

    /** A call as the library table names it: {@code java.lang.Math.max(int,int)}. */
    static String readable(String owner, String name, String descriptor) {
        StringBuilder text = new StringBuilder(owner.replace('/', '.')).append('.').append(name).append('(');
        Type[] arguments = Type.getArgumentTypes(descriptor);
        for (int i = 0; i < arguments.length; i++) {
            text.append(i == 0 ? "" : ",").append(arguments[i].getClassName());
        }
        return text.append(')').toString();
    }
}

package wattline.board.installer;

import com.googlecode.d2j.Method;
import com.googlecode.d2j.dex.Dex2jar;
import com.googlecode.d2j.dex.DexExceptionHandler;
import com.googlecode.d2j.node.DexMethodNode;
import com.googlecode.d2j.reader.BaseDexFileReader;
import com.googlecode.d2j.reader.DexFileReader;
import com.googlecode.d2j.reader.MultiDexFileReader;
import com.googlecode.d2j.visitors.DexClassVisitor;
import com.googlecode.d2j.visitors.DexFileVisitor;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** DEX to classes, with their lines; what else is in the package goes along, for its code to read. */
final class Translation {
    private Translation() {
    }

    static void translate(File apk, File out) throws Refused, IOException {
        Problems problems = new Problems();
        Path classes = Files.createTempFile(out.getParentFile().toPath(), "dex", ".jar");
        try {
            BaseDexFileReader dex = MultiDexFileReader.open(Files.readAllBytes(apk.toPath()));
            Dex2jar.from(dex)
                    .withExceptionHandler(problems)
                    .skipDebug(false)
                    .topoLogicalSort()
                    .dontSanitizeNames(true)
                    .to(classes);
            if (problems.first != null) {
                throw new Refused("INSTALL_FAILED_DEXOPT", problems.first);
            }
            merge(apk, classes.toFile(), sources(dex), out);
        } finally {
            Files.deleteIfExists(classes);
        }
    }

    /** The source file of each class, which the library forgets, by the class's internal name. */
    private static Map<String, String> sources(BaseDexFileReader dex) {
        Map<String, String> sources = new HashMap<>();
        dex.accept(new DexFileVisitor() {
            @Override
            public DexClassVisitor visit(int access, String type, String parent, String[] interfaces) {
                String name = type.substring(1, type.length() - 1);
                return new DexClassVisitor() {
                    @Override
                    public void visitSource(String file) {
                        sources.put(name, file);
                    }
                };
            }
        }, DexFileReader.SKIP_CODE | DexFileReader.SKIP_ANNOTATION);
        return sources;
    }

    private static byte[] withSource(byte[] bytes, Map<String, String> sources) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, 0);
        String source = sources.get(reader.getClassName());
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public void visit(int version, int access, String name, String form, String parent, String[] interfaces) {
                super.visit(version, access, name, form, parent, interfaces);
                if (source != null) {
                    super.visitSource(source, null);
                }
            }
        }, 0);
        return writer.toByteArray();
    }

    /** Resources of the package and the classes, in one jar, but for stand-ins of Java's own. */
    private static void merge(File apk, File classes, Map<String, String> sources, File out) throws IOException {
        Path part = out.toPath().resolveSibling(out.getName() + ".part");
        try (ZipOutputStream merged = new ZipOutputStream(Files.newOutputStream(part))) {
            merged.setLevel(1);
            for (File file : new File[] {classes, apk}) {
                try (ZipFile zip = new ZipFile(file)) {
                    for (ZipEntry entry : Collections.list(zip.entries())) {
                        String name = entry.getName();
                        boolean isWanted = file == classes ? !name.startsWith("java/") : isResource(name);
                        if (!entry.isDirectory() && isWanted) {
                            byte[] bytes = zip.getInputStream(entry).readAllBytes();
                            put(merged, name, file == classes ? withSource(bytes, sources) : bytes);
                        }
                    }
                }
            }
        }
        Files.move(part, out.toPath(), StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean isResource(String name) {
        boolean isAndroids = name.equals("AndroidManifest.xml") || name.equals("resources.arsc");
        return !isAndroids && !name.endsWith(".dex") && !name.endsWith(".class") && !name.startsWith("META-INF/");
    }

    private static void put(ZipOutputStream out, String name, byte[] bytes) throws IOException {
        ZipEntry entry = new ZipEntry(name);
        entry.setTime(0);
        out.putNextEntry(entry);
        out.write(bytes);
        out.closeEntry();
    }

    /** The first method that can't be translated. */
    private static final class Problems implements DexExceptionHandler {
        private String first;

        @Override
        public void handleFileException(Exception e) {
            note("the DEX can't be read: " + e);
        }

        @Override
        public void handleMethodTranslateException(
                Method method, DexMethodNode node, MethodVisitor visitor, Exception e) {
            note(method + " can't be translated: " + e);
        }

        private void note(String problem) {
            first = first == null ? problem : first;
        }
    }
}

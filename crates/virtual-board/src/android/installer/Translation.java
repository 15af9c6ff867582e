package wattline.board.installer;

import com.googlecode.d2j.node.DexClassNode;
import com.googlecode.d2j.node.DexFileNode;
import com.googlecode.d2j.reader.DexFileReader;
import com.googlecode.d2j.reader.MultiDexFileReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * DEX to classes, with their lines and with marks of DEX's own basic blocks; what else is in the
 * package goes along, for its code to read.
 */
final class Translation {
    /** Below it, by a class's name: what the blocks of its DEX hold. */
    private static final String BLOCKS = "wattline/blocks/";

    private Translation() {
    }

    static void translate(File apk, File out) throws Refused, IOException {
        DexFileNode dex = read(apk);
        // Stand-ins of Java's own are the JVM's.
        dex.clzs.removeIf(node -> node.className.startsWith("Ljava/"));
        Map<String, byte[]> entries = new TreeMap<>();
        for (DexClassNode node : dex.clzs) {
            String blocks = DexBlocks.mark(node);
            entries.put(BLOCKS + DexTranslator.name(node), blocks.getBytes(StandardCharsets.UTF_8));
        }
        DexTranslator.translate(dex).forEach((name, bytes) -> entries.put(name + ".class", bytes));
        write(apk, entries, out);
    }

    private static DexFileNode read(File apk) throws Refused, IOException {
        DexFileNode dex = new DexFileNode();
        byte[] bytes = Files.readAllBytes(apk.toPath());
        try {
            MultiDexFileReader.open(bytes).accept(dex, DexFileReader.IGNORE_READ_EXCEPTION);
        } catch (RuntimeException e) {
            throw new Refused("INSTALL_FAILED_DEXOPT", "the DEX can't be read: " + e);
        }
        return dex;
    }

    private static void write(File apk, Map<String, byte[]> entries, File out) throws Refused, IOException {
        Path part = out.toPath().resolveSibling(out.getName() + ".part");
        try (ZipOutputStream jar = new ZipOutputStream(Files.newOutputStream(part));
                ZipFile zip = new ZipFile(apk)) {
            jar.setLevel(1);
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                put(jar, entry.getKey(), entry.getValue());
            }
            for (ZipEntry entry : Collections.list(zip.entries())) {
                if (!entry.isDirectory() && isResource(entry.getName())) {
                    byte[] bytes = zip.getInputStream(entry).readAllBytes();
                    if (bytes.length != entry.getSize()) {
                        throw new Refused("INSTALL_PARSE_FAILED_NOT_APK", entry.getName() + " has another size");
                    }
                    put(jar, entry.getName(), bytes);
                }
            }
        }
        Files.move(part, out.toPath(), StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean isResource(String name) {
        return !name.equals("AndroidManifest.xml") && !name.endsWith(".dex") && !name.endsWith(".class") && !name.startsWith("META-INF/");
    }

    private static void put(ZipOutputStream out, String name, byte[] bytes) throws IOException {
        ZipEntry entry = new ZipEntry(name);
        entry.setTime(0);
        out.putNextEntry(entry);
        out.write(bytes);
        out.closeEntry();
    }
}

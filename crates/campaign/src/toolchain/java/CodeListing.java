import com.googlecode.d2j.DexLabel;
import com.googlecode.d2j.node.DexClassNode;
import com.googlecode.d2j.node.DexFileNode;
import com.googlecode.d2j.node.DexMethodNode;
import com.googlecode.d2j.node.insn.DexLabelStmtNode;
import com.googlecode.d2j.node.insn.DexStmtNode;
import com.googlecode.d2j.node.insn.JumpStmtNode;
import com.googlecode.d2j.reader.DexFileReader;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.tree.ClassNode;

/**
 * Lists the instructions of class files and DEX files. Reads names of archives, one a line; writes
 * for each method of their classes, and of their DEX files, lines of fields between tabs:
 *
 * <pre>
 * method FORM CLASS NAME DESCRIPTOR     FORM is class or dex
 * instruction NAME OPERAND TARGET       TARGET: number of an instruction of the method, or -
 * </pre>
 */
final class CodeListing {
    private static final String NOTHING = "nop";

    public static void main(String[] args) throws Exception {
        BufferedReader names = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        StringBuilder out = new StringBuilder();
        for (String name = names.readLine(); name != null; name = names.readLine()) {
            try (ZipFile archive = new ZipFile(name)) {
                for (ZipEntry entry : Collections.list(archive.entries())) {
                    list(archive, entry, out);
                }
            }
        }
        PrintStream stream = new PrintStream(System.out, false, "UTF-8");
        stream.print(out);
        stream.flush();
    }

    private static void list(ZipFile archive, ZipEntry entry, StringBuilder out) throws Exception {
        boolean isClass = entry.getName().endsWith(".class");
        if (!isClass && !entry.getName().endsWith(".dex")) {
            return;
        }
        byte[] bytes;
        try (InputStream in = archive.getInputStream(entry)) {
            bytes = in.readAllBytes();
        }
        if (isClass) {
            ClassNode node = new ClassNode();
            new ClassReader(bytes).accept(node, ClassReader.SKIP_FRAMES);
            ClassCode.list(node, out);
        } else {
            DexFileNode dex = new DexFileNode();
            new DexFileReader(bytes).accept(dex);
            dex.clzs.forEach(node -> list(node, out));
        }
    }

    private static void list(DexClassNode node, StringBuilder out) {
        if (node.methods == null) {
            return;
        }
        String name = node.className.substring(1, node.className.length() - 1).replace('/', '.');
        for (DexMethodNode method : node.methods) {
            if (method.codeNode != null) {
                out.append("method\tdex\t").append(name).append('\t').append(method.method.getName()).append('\t')
                        .append(method.method.getDesc()).append('\n');
                instructions(method, out);
            }
        }
    }

    private static void instructions(DexMethodNode method, StringBuilder out) {
        Map<DexLabel, Integer> places = new HashMap<>();
        int number = 0;
        for (DexStmtNode one : method.codeNode.stmts) {
            if (one instanceof DexLabelStmtNode) {
                places.put(((DexLabelStmtNode) one).label, number);
            } else if (isCode(one)) {
                number++;
            }
        }
        for (DexStmtNode one : method.codeNode.stmts) {
            if (isCode(one)) {
                boolean jumps = one instanceof JumpStmtNode;
                out.append("instruction\t").append(one.op.displayName).append("\t-\t")
                        .append(jumps ? String.valueOf(places.get(((JumpStmtNode) one).label)) : "-").append('\n');
            }
        }
    }

    /** A line of the source without code is a {@code nop} where a debugger could stop. */
    private static boolean isCode(DexStmtNode one) {
        return !(one instanceof DexLabelStmtNode) && one.op != null && !one.op.displayName.equals(NOTHING);
    }
}

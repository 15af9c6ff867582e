package wattline.board.installer;

import com.googlecode.d2j.Method;
import com.googlecode.d2j.dex.ClassVisitorFactory;
import com.googlecode.d2j.dex.DexExceptionHandler;
import com.googlecode.d2j.dex.ExDex2Asm;
import com.googlecode.d2j.dex.LambadaNameSafeClassAdapter;
import com.googlecode.d2j.node.DexClassNode;
import com.googlecode.d2j.node.DexFileNode;
import com.googlecode.d2j.node.DexMethodNode;
import com.googlecode.dex2jar.ir.IrMethod;
import com.googlecode.dex2jar.ir.expr.BinopExpr;
import com.googlecode.dex2jar.ir.expr.Constant;
import com.googlecode.dex2jar.ir.expr.Value;
import com.googlecode.dex2jar.ir.stmt.IfStmt;
import com.googlecode.dex2jar.ir.stmt.Stmt;
import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** dex2jar, with what it leaves out or has wrong: names of source files, comparisons of zero. */
final class DexTranslator extends ExDex2Asm {
    private final Problems problems;

    private DexTranslator(Problems problems) {
        super(problems);
        this.problems = problems;
    }

    /** Class files by their internal names. */
    static Map<String, byte[]> translate(DexFileNode dex) throws Refused {
        DexTranslator translator = new DexTranslator(new Problems());
        Map<String, String> sources = new HashMap<>();
        for (DexClassNode node : dex.clzs) {
            sources.put(name(node), node.source);
        }
        Map<String, ClassWriter> writers = new HashMap<>();
        ClassVisitorFactory factory = name -> {
            ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
            writers.put(name, writer);
            return new LambadaNameSafeClassAdapter(new WithSource(writer, sources.get(name)), true);
        };
        translator.convertDex(dex, factory);
        Map<String, byte[]> classes = new HashMap<>();
        writers.forEach((name, writer) -> classes.put(name, translator.bytes(name, writer)));
        if (translator.problems.first != null) {
            throw new Refused("INSTALL_FAILED_DEXOPT", translator.problems.first);
        }
        return classes;
    }

    /** A class's internal name. */
    static String name(DexClassNode node) {
        return toInternalName(node.className);
    }

    private byte[] bytes(String name, ClassWriter writer) {
        try {
            return writer.toByteArray();
        } catch (RuntimeException e) {
            problems.note(name + " can't be translated: " + e);
            return new byte[0];
        }
    }

    @Override
    public void optimize(IrMethod method) {
        super.optimize(method);
        for (Stmt stmt : method.stmts) {
            if (stmt instanceof IfStmt && ((IfStmt) stmt).op instanceof BinopExpr) {
                IfStmt branch = (IfStmt) stmt;
                branch.op = mirrored((BinopExpr) branch.op);
            }
        }
    }

    /**
     * A comparison with a zero on its left becomes one with the zero on its right: dex2jar drops
     * the zero wherever it stands, and turns {@code 0 < x} into {@code x < 0}.
     */
    private static BinopExpr mirrored(BinopExpr comparison) {
        Value.VT relation = mirrored(comparison.vt);
        if (relation == null || !isZero(comparison.op1) || isZero(comparison.op2)) {
            return comparison;
        }
        BinopExpr mirrored = new BinopExpr(relation, comparison.op2, comparison.op1, comparison.type);
        mirrored.valueType = comparison.valueType;
        return mirrored;
    }

    private static Value.VT mirrored(Value.VT relation) {
        switch (relation) {
            case LT:
                return Value.VT.GT;
            case GT:
                return Value.VT.LT;
            case LE:
                return Value.VT.GE;
            case GE:
                return Value.VT.LE;
            default:
                return null;
        }
    }

    private static boolean isZero(Value value) {
        Object constant = value instanceof Constant ? ((Constant) value).value : null;
        return constant instanceof Number && ((Number) constant).intValue() == 0;
    }

    /** Puts the source file's name into a class. */
    private static final class WithSource extends ClassVisitor {
        private final String source;

        WithSource(ClassVisitor to, String source) {
            super(Opcodes.ASM9, to);
            this.source = source;
        }

        @Override
        public void visit(int version, int access, String name, String form, String parent, String[] interfaces) {
            super.visit(version, access, name, form, parent, interfaces);
            if (source != null) {
                super.visitSource(source, null);
            }
        }

        @Override
        public void visitSource(String file, String debug) {
            // said already
        }
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

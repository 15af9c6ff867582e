import com.sun.source.tree.LineMap;
import com.sun.source.util.JavacTask;
import com.sun.tools.javac.api.BasicJavacTask;
import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Symbol.MethodSymbol;
import com.sun.tools.javac.code.Symbol.VarSymbol;
import com.sun.tools.javac.code.Type;
import com.sun.tools.javac.code.TypeTag;
import com.sun.tools.javac.code.Types;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.JCTree.*;
import com.sun.tools.javac.tree.TreeInfo;
import com.sun.tools.javac.tree.TreeScanner;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.Stream;
import javax.tools.*;

/**
 * Counts the energy operations of docs/internals/operations.md on the trees that javac has
 * attributed, and prints `file, line, operation, count`, separated by tabs. It shares no
 * code with the counter it checks.
 *
 * java --add-exports jdk.compiler/com.sun.tools.javac.api=ALL-UNNAMED
 *      --add-exports jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED
 *      --add-exports jdk.compiler/com.sun.tools.javac.code=ALL-UNNAMED
 *      --add-exports jdk.compiler/com.sun.tools.javac.util=ALL-UNNAMED
 *      OperationChecker.java FOLDER [OPTIONS OF JAVAC]
 */
public final class OperationChecker extends TreeScanner {
    private final String file;
    private final LineMap lines;
    private final Set<Symbol> sources;
    private final Types types;
    private final SortedMap<String, Integer> counts;
    private final Deque<Type> returns = new ArrayDeque<>();

    OperationChecker(String file, LineMap lines, Set<Symbol> sources, Types types, SortedMap<String, Integer> counts) {
        this.file = file;
        this.lines = lines;
        this.sources = sources;
        this.types = types;
        this.counts = counts;
    }

    public static void main(String[] args) throws Exception {
        Path root = Path.of(args[0]);
        List<Path> paths;
        try (Stream<Path> walk = Files.walk(root)) {
            paths = walk.filter(p -> p.toString().endsWith(".java")).sorted().toList();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        SortedMap<String, Integer> counts = new TreeMap<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> options = new ArrayList<>(List.of("-proc:none", "-Xmaxerrs", "1000000", "-nowarn",
                "-XDshould-stop.ifError=FLOW", "-XDallowStringFolding=false", "-encoding", "UTF-8"));
            options.addAll(List.of(args).subList(1, args.length));
            DiagnosticCollector<JavaFileObject> messages = new DiagnosticCollector<>();
            JavacTask task = (JavacTask) compiler.getTask(null, files, messages, options, null,
                files.getJavaFileObjectsFromPaths(paths));
            List<JCCompilationUnit> units = new ArrayList<>();
            for (var unit : task.parse()) units.add((JCCompilationUnit) unit);
            task.analyze();
            Set<String> broken = new TreeSet<>();
            for (var message : messages.getDiagnostics()) {
                if (message.getKind() == Diagnostic.Kind.ERROR && message.getSource() != null) {
                    broken.add(relative(root, Path.of(message.getSource().getName())));
                }
            }
            Types types = Types.instance(((BasicJavacTask) task).getContext());
            Set<Symbol> sources = new HashSet<>();
            for (var unit : units) new Declared(sources).scan(unit);
            for (var unit : units) {
                String file = relative(root, Path.of(unit.getSourceFile().getName()));
                if (broken.contains(file)) System.err.println("left out, javac has errors: " + file);
                else new OperationChecker(file, unit.getLineMap(), sources, types, counts).scan(unit);
            }
        }
        PrintStream out = new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), false, "UTF-8");
        counts.forEach((key, count) -> out.println(key + "\t" + count));
        out.flush();
    }

    private static String relative(Path root, Path file) {
        return root.toAbsolutePath().relativize(file.toAbsolutePath()).toString().replace('\\', '/');
    }

    /** The classes that the sources declare. */
    private static final class Declared extends TreeScanner {
        private final Set<Symbol> found;

        Declared(Set<Symbol> found) {
            this.found = found;
        }

        @Override public void visitClassDef(JCClassDecl tree) {
            found.add(tree.sym);
            super.visitClassDef(tree);
        }
    }

    // --- counting

    private void add(String operation, int pos) {
        counts.merge(file + "\t" + lines.getLineNumber(pos) + "\t" + operation, 1, Integer::sum);
    }

    private static String kind(Type type) {
        switch (type.getTag()) {
            case BOOLEAN: return "boolean";
            case BYTE: case SHORT: case CHAR: case INT: return "int";
            case LONG: return "long";
            case FLOAT: return "float";
            case DOUBLE: return "double";
            case VOID: return "void";
            default: return "Object";
        }
    }

    private static boolean isNumber(String kind) {
        return !kind.equals("Object") && !kind.equals("boolean") && !kind.equals("void");
    }

    private Type unboxed(Type type) {
        if (type.isPrimitive()) return type;
        Type seen = type;
        while (seen.hasTag(TypeTag.TYPEVAR)) seen = seen.getUpperBound();
        switch (seen.tsym == null ? "" : seen.tsym.getQualifiedName().toString()) {
            case "java.lang.Boolean": return primitive(TypeTag.BOOLEAN);
            case "java.lang.Byte": return primitive(TypeTag.BYTE);
            case "java.lang.Short": return primitive(TypeTag.SHORT);
            case "java.lang.Character": return primitive(TypeTag.CHAR);
            case "java.lang.Integer": return primitive(TypeTag.INT);
            case "java.lang.Long": return primitive(TypeTag.LONG);
            case "java.lang.Float": return primitive(TypeTag.FLOAT);
            case "java.lang.Double": return primitive(TypeTag.DOUBLE);
            default: return type;
        }
    }

    private static Type primitive(TypeTag tag) {
        return new Type.JCPrimitiveType(tag, null);
    }

    private static boolean isConstant(JCTree tree) {
        return tree instanceof JCExpression && tree.type != null && tree.type.constValue() != null;
    }

    private static boolean isNull(JCTree tree) {
        return tree instanceof JCExpression && TreeInfo.skipParens((JCExpression) tree).type != null
            && TreeInfo.skipParens((JCExpression) tree) instanceof JCLiteral
            && TreeInfo.skipParens((JCExpression) tree).type.hasTag(TypeTag.BOT);
    }

    private static boolean isString(Type type) {
        return type.tsym != null && type.tsym.getQualifiedName().contentEquals("java.lang.String");
    }

    private static int rank(String kind) {
        return List.of("boolean", "int", "long", "float", "double").indexOf(kind);
    }

    @Override public void scan(JCTree tree) {
        if (tree != null && !isConstant(tree)) super.scan(tree);
        else if (tree instanceof JCFieldAccess) super.scan(tree);
    }

    // --- declarations

    @Override public void visitTopLevel(JCCompilationUnit tree) {
        scan(tree.defs);
    }

    @Override public void visitImport(JCImport tree) { }
    @Override public void visitPackageDef(JCPackageDecl tree) { }
    @Override public void visitModuleDef(JCModuleDecl tree) { }
    @Override public void visitAnnotation(JCAnnotation tree) { }
    @Override public void visitModifiers(JCModifiers tree) { }
    @Override public void visitAssert(JCAssert tree) { }
    @Override public void visitTypeApply(JCTypeApply tree) { }
    @Override public void visitTypeArray(JCArrayTypeTree tree) { }
    @Override public void visitAnnotatedType(JCAnnotatedType tree) { }

    @Override public void visitClassDef(JCClassDecl tree) {
        Deque<Type> around = new ArrayDeque<>(returns);
        for (JCTree member : tree.defs) scan(member);
        returns.clear();
        returns.addAll(around);
    }

    @Override public void visitMethodDef(JCMethodDecl tree) {
        long generated = Flags.GENERATEDCONSTR | Flags.ANONCONSTR | Flags.GENERATED_MEMBER;
        if (tree.sym == null || (tree.sym.flags() & generated) != 0 || tree.body == null) {
            if (tree.sym == null || tree.body == null || (tree.sym.flags() & Flags.COMPACT_RECORD_CONSTRUCTOR) == 0) return;
        }
        if ((tree.sym.flags() & Flags.SYNCHRONIZED) != 0) add("Synchronized", tree.pos);
        returns.push(tree.sym.type.getReturnType() == null ? tree.sym.type : tree.sym.type.getReturnType());
        for (JCStatement statement : tree.body.stats) {
            // What javac put in: super() and the fields of a compact constructor.
            if (statement.pos != tree.body.pos) scan(statement);
        }
        returns.pop();
    }

    @Override public void visitVarDef(JCVariableDecl tree) {
        if ((tree.mods.flags & Flags.ENUM) != 0) {
            JCNewClass creation = (JCNewClass) tree.init;
            created(creation, tree.pos);
            scan(creation.args);
            if (creation.def != null) scan(creation.def);
            return;
        }
        boolean isField = tree.sym.owner.kind == com.sun.tools.javac.code.Kinds.Kind.TYP;
        if ((tree.mods.flags & Flags.GENERATED_MEMBER) != 0 && isField && tree.init == null) return;
        if (isField) {
            if (tree.init == null || tree.sym.getConstValue() != null) return;
            add("Field_Reference", tree.pos);
        } else {
            add("Declaration_" + kind(tree.sym.type), tree.pos);
        }
        if (tree.init != null) {
            assign(tree.sym.type, tree.init, tree.pos);
            scan(tree.init);
        }
    }

    private void assign(Type target, JCTree value, int pos) {
        String kind = kind(target);
        if (!kind.equals("Object")) {
            if (value != null && value.type.isPrimitive() && !isConstant(value) && !kind(value.type).equals(kind)) {
                add("Cast_numeric", pos);
            }
            add("Assign_" + kind + "_" + kind, pos);
        } else if (value != null && isNull(value)) {
            add("Assign_Object_null", pos);
        } else if (target.hasTag(TypeTag.ARRAY)) {
            boolean chars = ((Type.ArrayType) target).elemtype.hasTag(TypeTag.CHAR);
            add(chars ? "Assign_char[]_char[]" : "Assign_Array_Array", pos);
        } else {
            add("Assign_Object_Object", pos);
        }
    }

    // --- statements

    @Override public void visitIf(JCIf tree) {
        scan(tree.cond);
        add("BlockGoto_if", first(tree.thenpart));
        scan(tree.thenpart);
        if (tree.elsepart != null) {
            add("BlockGoto_else", first(tree.elsepart));
            scan(tree.elsepart);
        }
    }

    @Override public void visitForLoop(JCForLoop tree) {
        scan(tree.init);
        if (tree.cond != null) add("BlockGoto_for", first(tree.cond));
        if (tree.step.nonEmpty()) add("BlockGoto_for", first(tree.step.head));
        add("BlockGoto_for", first(tree.body));
        if (tree.cond != null) scan(tree.cond);
        scan(tree.step);
        scan(tree.body);
    }

    @Override public void visitWhileLoop(JCWhileLoop tree) {
        add("BlockGoto_while", first(tree.cond));
        add("BlockGoto_while", first(tree.body));
        scan(tree.cond);
        scan(tree.body);
    }

    @Override public void visitDoLoop(JCDoWhileLoop tree) {
        add("BlockGoto_do", first(tree.cond));
        add("BlockGoto_do", first(tree.body));
        scan(tree.cond);
        scan(tree.body);
    }

    @Override public void visitForeachLoop(JCEnhancedForLoop tree) {
        scan(tree.expr);
        add("BlockGoto_foreach", first(tree.body));
        Type variable = tree.var.sym.type;
        int pos = tree.var.pos;
        add("Declaration_" + kind(variable), pos);
        if (tree.expr.type.hasTag(TypeTag.ARRAY)) {
            Type element = ((Type.ArrayType) tree.expr.type).elemtype;
            for (String op : List.of("Less_int_int", "Array_Reference", "Increment")) add(op, pos);
            if (element.isPrimitive() && variable.isPrimitive() && !kind(element).equals(kind(variable))) {
                add("Cast_numeric", pos);
            }
        } else {
            add("lib:java.lang.Iterable.iterator", start(tree.expr));
            add("lib:java.util.Iterator.hasNext", pos);
            add("lib:java.util.Iterator.next", pos);
        }
        assign(variable, null, pos);
        scan(tree.body);
    }

    @Override public void visitSwitch(JCSwitch tree) {
        scan(tree.selector);
        cases(tree.cases);
    }

    @Override public void visitSwitchExpression(JCSwitchExpression tree) {
        scan(tree.selector);
        cases(tree.cases);
    }

    private void cases(List<JCCase> cases) {
        for (JCCase arm : cases) {
            for (JCTree label : arm.labels) pattern(label);
            if (field(arm, "guard") != null) scan((JCTree) field(arm, "guard"));
            boolean arrow = arm.caseKind == com.sun.source.tree.CaseTree.CaseKind.RULE;
            if (arm.stats == null || (arm.stats.isEmpty() && !arrow)) continue;
            add("BlockGoto_switch", arrow ? first(arm.body) : first(arm.stats.head));
            // The yield and break that javac puts into arrow arms are none of the source.
            if (arrow && arm.body instanceof JCExpression) scan(arm.body);
            else if (arrow && arm.body instanceof JCExpressionStatement) scan(arm.body);
            else if (arrow && arm.body instanceof JCBlock) scan(arm.body);
            else if (arrow && arm.body instanceof JCThrow) scan(arm.body);
            else scan(arm.stats);
        }
    }

    /** A pattern of a case: type patterns test and declare, record patterns test. */
    private void pattern(JCTree label) {
        switch (label.getClass().getSimpleName()) {
            case "JCPatternCaseLabel": pattern((JCTree) field(label, "pat")); break;
            case "JCBindingPattern":
                add("InstanceOf", label.pos);
                declared(((JCBindingPattern) label).var);
                break;
            case "JCRecordPattern":
                add("InstanceOf", label.pos);
                components(label);
                break;
            default: break;
        }
    }

    /** The parts of a record pattern: records within are tests of their own. */
    private void components(JCTree pattern) {
        for (Object part : (Iterable<?>) field(pattern, "nested")) {
            if (part instanceof JCBindingPattern) declared(((JCBindingPattern) part).var);
            else pattern((JCTree) part);
        }
    }

    private void declared(JCVariableDecl variable) {
        if (!variable.name.isEmpty()) add("Declaration_" + kind(variable.sym.type), variable.pos);
    }

    /** A field that not all versions of javac have. */
    private static Object field(Object tree, String name) {
        try {
            return tree.getClass().getField(name).get(tree);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    @Override public void visitTry(JCTry tree) {
        for (JCTree resource : tree.resources) scan(resource);
        scan(tree.body);
        for (JCCatch handler : tree.catchers) {
            add("BlockGoto_try", first(handler.body));
            scan(handler.body);
        }
        if (tree.finalizer != null) {
            add("BlockGoto_try", first(tree.finalizer));
            scan(tree.finalizer);
        }
    }

    @Override public void visitSynchronized(JCSynchronized tree) {
        add("Synchronized", tree.pos);
        super.visitSynchronized(tree);
    }

    @Override public void visitThrow(JCThrow tree) {
        add("Throw", tree.pos);
        super.visitThrow(tree);
    }

    @Override public void visitBreak(JCBreak tree) {
        add("BlockGoto_jump", tree.pos);
    }

    @Override public void visitContinue(JCContinue tree) {
        add("BlockGoto_jump", tree.pos);
    }

    @Override public void visitYield(JCYield tree) {
        add("BlockGoto_jump", tree.pos);
        scan(tree.value);
    }

    @Override public void visitReturn(JCReturn tree) {
        add(tree.expr == null ? "Return_void" : "Return_" + kind(returns.peek()), tree.pos);
        if (tree.expr != null) scan(tree.expr);
    }

    // --- expressions

    @Override public void visitLambda(JCLambda tree) {
        add("New_Object", start(tree));
        Type target = tree.target;
        Type returned = target == null ? tree.type : descriptor(tree);
        returns.push(returned);
        scan(tree.body);
        returns.pop();
    }

    /** The return type of the lambda's function. */
    private Type descriptor(JCLambda tree) {
        return types.findDescriptorType(tree.target).getReturnType();
    }

    @Override public void visitReference(JCMemberReference tree) {
        add("New_Object", start(tree));
        Symbol symbol = TreeInfo.symbol(tree.expr);
        if (symbol == null || symbol.kind != com.sun.tools.javac.code.Kinds.Kind.TYP) scan(tree.expr);
    }

    @Override public void visitApply(JCMethodInvocation tree) {
        Symbol method = TreeInfo.symbol(tree.meth);
        invoked(method, tree.args, tree.meth.pos);
        if (tree.meth instanceof JCFieldAccess) scan(((JCFieldAccess) tree.meth).selected);
        scan(tree.args);
    }

    private void invoked(Symbol method, List<? extends JCExpression> args, int pos) {
        // Newer javac gives an interface's Object methods to the interface.
        Symbol owner = method.baseSymbol().owner;
        if (sources.contains(owner)) {
            add("Method_Invocation", pos);
            for (JCExpression arg : args) add("Parameter_" + kind(arg.type), start(arg));
        } else {
            String name = owner.flatName().toString();
            if (name.equals("Array")) name = "java.lang.Object";
            add("lib:" + name + "." + method.name, pos);
        }
    }

    private void created(JCNewClass tree, int pos) {
        add("New_Object", pos);
        Symbol type = tree.clazz.type.tsym;
        if (sources.contains(type)) {
            add("Method_Invocation", pos);
            for (JCExpression arg : tree.args) add("Parameter_" + kind(arg.type), start(arg));
        } else {
            add("lib:" + type.flatName() + ".<init>", pos);
        }
    }

    @Override public void visitNewClass(JCNewClass tree) {
        created(tree, start(tree.clazz));
        if (tree.encl != null) scan(tree.encl);
        scan(tree.args);
        if (tree.def != null) scan(tree.def);
    }

    @Override public void visitNewArray(JCNewArray tree) {
        add("New_Array", start(tree));
        scan(tree.dims);
        if (tree.elems != null) {
            Type element = ((Type.ArrayType) tree.type).elemtype;
            for (JCExpression value : tree.elems) {
                add("Array_Reference", start(value));
                assign(element, value, start(value));
            }
            scan(tree.elems);
        }
    }

    @Override public void visitAssign(JCAssign tree) {
        assign(tree.lhs.type, tree.rhs, tree.pos);
        scan(tree.lhs);
        scan(tree.rhs);
    }

    @Override public void visitAssignop(JCAssignOp tree) {
        String name = tree.getTag().noAssignOp().name();
        Type target = tree.lhs.type;
        String promoted = null;
        boolean string = tree.operator.type.getReturnType() != null && isString(tree.operator.type.getReturnType());
        if (name.equals("PLUS") && string) add("String_Concat", tree.pos);
        else promoted = arithmetic(name, kind(unboxed(target)), kind(unboxed(tree.rhs.type)), tree.pos);
        if (promoted != null && !promoted.equals(kind(unboxed(target)))) add("Cast_numeric", tree.pos);
        String kind = kind(target);
        add(kind.equals("Object") ? "Assign_Object_Object" : "Assign_" + kind + "_" + kind, tree.pos);
        scan(tree.lhs);
        scan(tree.rhs);
    }

    @Override public void visitUnary(JCUnary tree) {
        String kind = kind(unboxed(tree.arg.type));
        switch (tree.getTag()) {
            case NOT: add("Not", tree.pos); break;
            case NEG: add("Negation_" + kind, tree.pos); break;
            case COMPL: add("BitXor_" + kind + "_" + kind, tree.pos); break;
            case PREINC: case POSTINC: add("Increment", tree.pos); break;
            case PREDEC: case POSTDEC: add("Decrement", tree.pos); break;
            default: break;
        }
        scan(tree.arg);
    }

    @Override public void visitBinary(JCBinary tree) {
        String name = tree.getTag().name();
        int pos = tree.pos;
        Type left = tree.lhs.type;
        Type right = tree.rhs.type;
        switch (name) {
            case "AND": add("And", pos); break;
            case "OR": add("Or", pos); break;
            case "EQ": case "NE":
                String equal = name.equals("EQ") ? "Equal" : "NotEqual";
                if (isNull(tree.lhs) || isNull(tree.rhs)) add(equal + "_Object_null", pos);
                else if (!left.isPrimitive() && !right.isPrimitive()) add(equal + "_Object_Object", pos);
                else numeric(equal, kind(unboxed(left)), kind(unboxed(right)), pos);
                break;
            default:
                if (name.equals("PLUS") && isString(tree.type)) add("String_Concat", pos);
                else arithmetic(name, kind(unboxed(left)), kind(unboxed(right)), pos);
        }
        scan(tree.lhs);
        scan(tree.rhs);
    }

    private String arithmetic(String tag, String left, String right, int pos) {
        String name = Map.ofEntries(Map.entry("PLUS", "Addition"), Map.entry("MINUS", "Subtraction"),
            Map.entry("MUL", "Multi"), Map.entry("DIV", "Division"), Map.entry("MOD", "Modulo"),
            Map.entry("BITAND", "BitAnd"), Map.entry("BITOR", "BitOr"), Map.entry("BITXOR", "BitXor"),
            Map.entry("SL", "Shift"), Map.entry("SR", "Shift"), Map.entry("USR", "Shift"),
            Map.entry("LT", "Less"), Map.entry("LE", "LessEqual"), Map.entry("GT", "Greater"),
            Map.entry("GE", "GreaterEqual")).get(tag);
        if (name.equals("Shift")) {
            add("Shift_" + left, pos);
            return left;
        }
        return numeric(name, left, right, pos);
    }

    private String numeric(String name, String left, String right, int pos) {
        String kind = rank(left) > rank(right) ? left : right;
        boolean mixed = new HashSet<>(List.of(left, right)).equals(Set.of("int", "float"));
        if (mixed && Set.of("Addition", "Subtraction", "Multi", "Division").contains(name)) {
            add(name + "_int_float", pos);
        } else if (mixed && name.startsWith("Less")) {
            add("Less_int_float", pos);
        } else if (mixed && name.startsWith("Greater")) {
            add("Greater_int_float", pos);
        } else {
            if (!left.equals(right)) add("Cast_numeric", pos);
            String counted = kind;
            if (name.equals("Modulo") && kind.equals("float")) counted = "double";
            if (name.startsWith("Bit") && kind.equals("boolean")) counted = "int";
            add(name + "_" + counted + "_" + counted, pos);
        }
        return kind;
    }

    @Override public void visitTypeCast(JCTypeCast tree) {
        Type target = tree.clazz.type;
        Type source = tree.expr.type;
        if (target.isPrimitive() && source.isPrimitive()) {
            if (target.getTag() != source.getTag()) add("Cast_numeric", tree.pos);
        } else if (!target.isPrimitive() && !source.isPrimitive()) {
            add("Cast_Object", tree.pos);
        }
        scan(tree.expr);
    }

    @Override public void visitTypeTest(JCInstanceOf tree) {
        add("InstanceOf", start(tree.pattern));
        scan(tree.expr);
        if (tree.pattern instanceof JCBindingPattern) declared(((JCBindingPattern) tree.pattern).var);
        else if (tree.pattern.getClass().getSimpleName().equals("JCRecordPattern")) components(tree.pattern);
    }

    @Override public void visitConditional(JCConditional tree) {
        add("BlockGoto_if", start(tree.truepart));
        scan(tree.cond);
        scan(tree.truepart);
        scan(tree.falsepart);
    }

    @Override public void visitIndexed(JCArrayAccess tree) {
        add("Array_Reference", start(tree.index));
        scan(tree.indexed);
        scan(tree.index);
    }

    @Override public void visitIdent(JCIdent tree) {
        if (isField(tree.sym)) add("Field_Reference", tree.pos);
    }

    @Override public void visitSelect(JCFieldAccess tree) {
        if (tree.sym == null || tree.sym.kind != com.sun.tools.javac.code.Kinds.Kind.VAR) return;
        if (tree.name.contentEquals("class")) return;
        if (isField(tree.sym)) add("Field_Reference", tree.pos);
        scan(tree.selected);
    }

    private static boolean isField(Symbol symbol) {
        if (!(symbol instanceof VarSymbol)) return false;
        String name = symbol.name.toString();
        if (name.equals("this") || name.equals("super") || name.equals("class")) return false;
        boolean field = symbol.owner.kind == com.sun.tools.javac.code.Kinds.Kind.TYP || name.equals("length") && symbol.owner.name.contentEquals("Array");
        return field && ((VarSymbol) symbol).getConstValue() == null;
    }

    /** Where a block's first statement starts. */
    private static int first(JCTree tree) {
        JCTree at = tree;
        while (at instanceof JCBlock && ((JCBlock) at).stats.nonEmpty()) at = ((JCBlock) at).stats.head;
        return start(at);
    }

    private static int start(JCTree tree) {
        return TreeInfo.getStartPos(tree);
    }
}

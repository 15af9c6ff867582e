//! Programs that need more than a class path: what is traced has to be what their own build
//! makes of them.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use wattline::toolchain::{Jdk, artifact, jar};

use super::host::javac_at;

/// Lombok, which writes into classes while they are compiled.
const LOMBOK: (&str, &str) = (
    "org.projectlombok:lombok:1.18.42",
    "3488a4e9994c26596baaceebee58cad36a50e3bdaec5be72b5834d3c3b560306",
);

/// A folder with a program, and a JDK.
struct Program {
    folder: tempfile::TempDir,
    /// The home of the JDK; none for the usual one.
    home: Option<PathBuf>,
}

/// What became of it.
struct Outcome {
    is_fine: bool,
    /// The program's own output.
    out: String,
    told: String,
    /// Executions by the name of a block.
    counts: BTreeMap<String, u64>,
}

impl Program {
    fn new(files: &[(&str, &str)]) -> Option<Program> {
        if let Err(error) = Jdk::find() {
            crate::skip::because(error);
            return None;
        }
        let program = Program { folder: tempfile::tempdir().unwrap(), home: None };
        files
            .iter()
            .for_each(|(name, text)| program.write(&format!("src/{name}"), text.as_bytes()));
        Some(program)
    }

    /// One that needs a JDK of a release.
    fn of_release(release: &str, files: &[(&str, &str)]) -> Option<Program> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/jdks.sh");
        let output = Command::new("sh").arg(script).output().unwrap();
        let homes = String::from_utf8(output.stdout).unwrap();
        let home = homes.lines().find_map(|line| line.strip_prefix(&format!("{release} ")));
        let Some(home) = home else {
            crate::skip::outside("there is no JDK of the release");
            return None;
        };
        let home = Some(PathBuf::from(home));
        Program::new(files).map(|program| Program { home, ..program })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn tool(&self, name: &str) -> Command {
        let usual = Jdk::find().unwrap().java;
        let folder = match &self.home {
            Some(home) => home.join("bin"),
            None => usual.parent().unwrap().to_path_buf(),
        };
        let mut command = match name {
            "javac" => javac_at(&folder.join(name)),
            _ => Command::new(folder.join(name)),
        };
        command.current_dir(self.folder.path());
        command
    }

    /// Compiles files of the folder with javac; what it says if it refuses.
    fn javac(&self, options: &[&str], files: &[&str]) {
        let output = self.tool("javac").args(options).args(files).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn wattline(&self, arguments: &[&str]) -> Outcome {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
        command.args(arguments).current_dir(self.folder.path());
        command.envs(self.home.iter().map(|home| ("JAVA_HOME", home)));
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let counts = fs::read_to_string(self.path("out/counts.csv")).unwrap_or_default();
        let mut reader = csv::Reader::from_reader(counts.as_bytes());
        let row = |row: csv::StringRecord| (row[1].to_owned(), row[2].parse().unwrap_or(0));
        Outcome {
            is_fine: output.status.success(),
            out: text(&output.stdout),
            told: text(&output.stderr),
            counts: reader.records().map(|record| row(record.unwrap())).collect(),
        }
    }

    /// Traces `src`.
    fn trace(&self, main: &str, flags: &[&str]) -> Outcome {
        let first = ["trace", "src", "--main", main, "--out", "out", "--force"];
        self.wattline(&[&first, flags].concat())
    }
}

impl Outcome {
    fn printed(self, text: &str) -> Outcome {
        assert!(self.is_fine && self.out == text, "{}{}", self.out, self.told);
        self
    }

    fn refused(self, parts: &[&str]) {
        assert!(!self.is_fine, "{}", self.out);
        for part in parts {
            assert!(self.told.contains(part), "no {part:?} in: {}", self.told);
        }
    }
}

#[test]
fn a_compact_source_file_is_counted_as_its_class() {
    let text = "/** Prices. */\nstatic final Map<String, Integer> PRICES = Map.of(\"a\", 3);\n\
        int sold; String sign = \"{;\";\nenum Kind { BIG { int f() { return 2; } }, SMALL; int f() \
        { return 1; } }\nint twice(int x) {\n    return 2 * x;\n}\nvoid main() {\n    for (String \
        name : PRICES.keySet()) {\n        sold += twice(Kind.BIG.f());\n    }\n    \
        IO.println(sign + sold + getClass().getName());\n} // end";
    let Some(program) = Program::of_release("25", &[("Shop.java", text)]) else { return };
    let traced = program.trace("Shop", &[]).printed("{;4Shop\n");
    assert_eq!(traced.counts["Shop.twice(int)"], 1);
    assert_eq!(traced.counts["Shop.main().foreach_1"], 1);
    let blocks = fs::read_to_string(program.path("out/blocks.csv")).unwrap();
    let twice = blocks.lines().find(|line| line.contains("Shop.twice(int)")).unwrap();
    assert!(twice.contains(",5,7,") || twice.contains(",6,6,"), "lines stay: {twice}");
    let findings = fs::read_to_string(program.path("out/findings.csv")).unwrap();
    assert_eq!(findings.lines().count(), 1, "{findings}");
}

#[test]
fn newer_java_is_asked_for_where_the_jdk_is_old() {
    let files = [("Hello.java", "void main() { }\n")];
    let Some(program) = Program::of_release("17", &files) else { return };
    program.trace("Hello", &[]).refused(&["use a JDK 25 (JAVA_HOME)"]);
}

#[test]
fn previews_are_on_where_they_are_asked_for() {
    let text = "class P {\n    static String of(int x) {\n        return switch (x) {\n            \
        case 1 -> \"one\";\n            case int i when i > 100 -> \"many\";\n            case int i \
        -> \"some\" + i;\n        };\n    }\n    public static void main(String[] a) {\n        \
        System.out.println(of(1) + of(200) + of(5));\n    }\n}\n";
    let Some(program) = Program::of_release("25", &[("P.java", text)]) else { return };
    program.trace("P", &[]).refused(&["preview feature", "--enable-preview"]);
    program.trace("P", &["--enable-preview"]).printed("onemanysome5\n");
}

#[test]
fn lomboks_methods_are_there_and_have_rows() {
    let text = "package app;\nimport lombok.*;\n@Value class Item { String name; int price; }\n\
        @Builder @Getter class Order { @Singular java.util.List<Item> items; private final int \
        off; int sum() { int s = -getOff(); for (Item i : items) { s += i.getPrice(); } return s; \
        } }\npublic class Shop {\n    public static void main(String[] args) {\n        val one = \
        new Item(\"a\", 3);\n        Order order = Order.builder().item(one).item(new Item(\"b\", \
        4)).off(2).build();\n        System.out.println(order.sum() + one.getName() + one);\n    \
        }\n}\n";
    let Some(program) = Program::new(&[("app/Shop.java", text)]) else { return };
    let jar = match artifact::fetch(LOMBOK.0, LOMBOK.1) {
        Ok(jar) => jar.display().to_string(),
        Err(error) => return crate::skip::because(error),
    };
    let traced = program.trace("app.Shop", &["--classpath", &jar]);
    let traced = traced.printed("5aItem(name=a, price=3)\n");
    assert_eq!(traced.counts["Order.sum().foreach_1"], 2);
    assert!(
        traced.told.contains("annotation processors ran, 0 generated sources"),
        "{}",
        traced.told
    );
    let read = |name: &str| fs::read_to_string(program.path("out").join(name)).unwrap();
    let operations = read("operations.csv");
    for function in ["app.Item.getPrice", "app.Order.getOff", "app.Order.builder"] {
        assert!(operations.contains(&format!("lib:{function}")), "{function}: {operations}");
    }
    assert_eq!(read("findings.csv").lines().count(), 1, "{}", read("findings.csv"));
    program
        .trace("app.Shop", &["--classpath", &jar, "--no-processors"])
        .refused(&["cannot find symbol", "--processor-path"]);
    let scan = ["scan", "src", "--classpath", &jar, "--no-cache", "--out", "scan", "--force"];
    let scanned = program.wattline(&scan);
    assert!(scanned.told.contains("which do not run here"), "{}", scanned.told);
    let scanned = program.wattline(&[&scan[..], &["--processor-path", &jar]].concat());
    assert!(scanned.is_fine && scanned.out.contains(" 0 findings"), "{}", scanned.out);
}

/// Writes a class `gen.MainTwice` with a loop, and a file beside it.
const PROCESSOR: &str = r#"package p;
import java.io.*;
import java.util.*;
import javax.annotation.processing.*;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.*;
import javax.tools.StandardLocation;
@SupportedAnnotationTypes("p.Twice")
@SupportedOptions("times")
public class Gen extends AbstractProcessor {
    @Override public SourceVersion getSupportedSourceVersion() { return SourceVersion.latest(); }
    @Override public boolean process(Set<? extends TypeElement> all, RoundEnvironment round) {
        for (Element e : round.getElementsAnnotatedWith(Twice.class)) {
            String times = processingEnv.getOptions().getOrDefault("times", "2");
            String name = e.getSimpleName() + "Twice";
            try (Writer out = processingEnv.getFiler().createSourceFile("gen." + name).openWriter();
                    Writer text = processingEnv.getFiler().createResource(
                        StandardLocation.CLASS_OUTPUT, "gen", "text.txt").openWriter()) {
                out.write("package gen; public class " + name + " { public static int of(int x) {"
                    + " int s = 0; for (int i = 0; i < " + times + "; i++) { s += x; } return s; } }");
                text.write("hello");
            } catch (IOException x) {
                throw new UncheckedIOException(x);
            }
        }
        return true;
    }
}
"#;

const ANNOTATED: &str = "package app;\n@p.Twice public class Main {\n    public static void \
    main(String[] a) throws Exception {\n        try (var in = Main.class.getResourceAsStream(\
    \"/gen/text.txt\")) {\n            System.out.println(new String(in.readAllBytes()) + \
    gen.MainTwice.of(4));\n        }\n    }\n}\n";

#[test]
fn sources_that_processors_write_are_counted() {
    let Some(program) = Program::new(&[("app/Main.java", ANNOTATED)]) else { return };
    program.write("proc/p/Gen.java", PROCESSOR.as_bytes());
    program.write("proc/p/Twice.java", b"package p; public @interface Twice { }");
    let service = "classes/META-INF/services/javax.annotation.processing.Processor";
    program.write(service, b"p.Gen\n");
    let files = ["proc/p/Gen.java", "proc/p/Twice.java"];
    program.javac(&["-proc:none", "-d", "classes"], &files);
    let flags = ["--classpath", "classes", "--javac-option", "-Atimes=5"];
    let traced = program.trace("app.Main", &flags).printed("hello20\n");
    assert_eq!(traced.counts["MainTwice.of(int).for_1"], 5);
    assert!(
        traced.told.contains("1 annotation processor ran, 1 generated source"),
        "{}",
        traced.told
    );
    let empty = program.trace("app.Main", &["--classpath", "classes", "--processor-path", "src"]);
    empty.refused(&["src offers no annotation processor"]);
    program.trace("app.Main", &["--javac-option", "-d"]).refused(&["only -A, -XD, --add-exports"]);
}

const MODULE: [(&str, &str); 5] = [
    (
        "module-info.java",
        "import m.api.Rate;\nmodule m.rates { requires x.sum; exports m.api; uses Rate; provides \
         Rate with m.impl.A, m.impl.B; }\n",
    ),
    ("m/api/Rate.java", "package m.api; public interface Rate { int rate(); }\n"),
    (
        "m/impl/A.java",
        "package m.impl; public class A implements m.api.Rate { public int rate() { return 3; } }\n",
    ),
    (
        "m/impl/B.java",
        "package m.impl; public class B { private B() { } public static m.api.Rate provider() { \
         return () -> 4; } }\n",
    ),
    (
        "m/app/Main.java",
        "package m.app; import java.util.ServiceLoader; import m.api.Rate;\npublic class Main { \
         public static void main(String[] a) { int s = 0; for (Rate r : \
         ServiceLoader.load(Rate.class)) { s = x.y.Sum.of(s, r.rate()); } System.out.println(s + \
         \" \" + Main.class.getModule().getName()); } }\n",
    ),
];

/// A library that is a module by its manifest.
fn sum_library(program: &Program) {
    let text =
        b"package x.y; public class Sum { public static int of(int a, int b) { return a + b; } }";
    program.write("lib/x/y/Sum.java", text);
    program.javac(&["-d", "sum"], &["lib/x/y/Sum.java"]);
    let classes = jar::read_folder(&program.path("sum")).unwrap();
    let bytes = jar::pack(&[("Automatic-Module-Name", "x.sum")], &classes);
    program.write("sum.jar", &bytes);
}

#[test]
fn a_module_finds_its_services_with_probes() {
    let Some(program) = Program::new(&MODULE) else { return };
    sum_library(&program);
    let library = ["--classpath", "sum.jar"];
    let traced = program.trace("m.app.Main", &library).printed("7 m.rates\n");
    assert_eq!(traced.counts["A.rate()"], 1);
    assert!(traced.told.contains("runs as module m.rates"), "{}", traced.told);
    program.trace("m.rates/m.app.Main", &library).printed("7 m.rates\n");
    program.trace("other/m.app.Main", &library).refused(&["are module m.rates, not other"]);
    let without = ["--classpath", "sum.jar", "--no-modules"];
    program.trace("m.app.Main", &without).printed("0 null\n");
    program.trace("m.app.Main", &[]).refused(&["module not found: x.sum", "--classpath"]);
}

/// Dry runs and boards have a class path: the same services are found there, or it is refused.
#[test]
fn a_scenario_of_a_module_has_its_services() {
    let Some(program) = Program::new(&MODULE) else { return };
    sum_library(&program);
    let scenario = "name = 'rates'\n[application]\npackage = 'org.rates'\nmain = 'm.app.Main'\n\
        [[source]]\npath = 'src'\n[[library]]\npath = 'sum.jar'\n[[input]]\nname = 'a'\n";
    program.write("s.toml", scenario.as_bytes());
    let plan = || program.wattline(&["plan", "s.toml", "--out", "plan", "--force"]);
    plan().refused(&["`m.impl.B.provider()`", "in modules alone"]);
    program.write(
        "src/m/impl/B.java",
        b"package m.impl; public class B implements m.api.Rate { public int rate() { return 4; } }",
    );
    let main = MODULE[4].1.replace(
        "System.out.println(s",
        "System.out.println(\"wattline: begin\"); if (s != 7) { throw new Error(\"sum \" + s); } \
         System.out.println(\"wattline: end\"); System.out.println(s",
    );
    program.write("src/m/app/Main.java", main.as_bytes());
    let planned = plan();
    assert!(planned.is_fine, "{}{}", planned.out, planned.told);
}

#[test]
fn sources_are_read_in_the_encoding_of_their_build() {
    let Some(program) = Program::new(&[]) else { return };
    let main = |letters: &[u8]| {
        let text = b"class Main { public static void main(String[] a) { String s = \"";
        let end = b"\"; System.out.println(s.length() + \" \" + (int) s.charAt(0)); } }\n\x1a";
        program.write("src/Main.java", &[text, letters, end].concat());
    };
    main(b"\xa4\xa2");
    program.trace("Main", &["--encoding", "EUC-JP"]).printed("1 12354\n");
    program.trace("Main", &["--encoding", "latin1"]).printed("2 164\n");
    program.trace("Main", &[]).refused(&["Main.java is not UTF-8", "--encoding"]);
    program.trace("Main", &["--encoding", "ascii"]).refused(&["no character of US-ASCII"]);
    // Its second byte is a backslash, which escapes the quote to whoever does not know that.
    main(b"\x83\x5c");
    program.trace("Main", &["--encoding", "Shift_JIS"]).printed("1 12477\n");
    main("\u{3042}".as_bytes());
    let text = fs::read_to_string(program.path("src/Main.java")).unwrap();
    program.write("src/Main.java", format!("\u{feff}/* \u{3042} */ {text}").as_bytes());
    program.trace("Main", &[]).printed("1 12354\n");
    let utf16: Vec<u8> =
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    program.write("src/Main.java", &utf16);
    program.trace("Main", &[]).printed("1 12354\n");
}

/// What reflection and serialisation see of classes of many kinds.
const SERIAL: &str = r#"import java.io.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.function.*;
public class Main {
    static class Plain implements Serializable { int a = 1; int f(int n) { int s = 0; for (int i = 0; i < n; i++) { s += i; } return s; } }
    static class Lambdas implements Serializable { Function<Integer, Integer> f = (Function<Integer, Integer> & Serializable) x -> { if (x > 1) return x * 2; return 0; }; Runnable r = this::g; int n = 1; void g() { while (n > 5) { n--; } } }
    static class Asserts implements Serializable { int f(int n) { assert n > 0 : "n"; return n; } }
    enum Level { LOW { int w() { return 1; } }, HIGH; int w() { switch (this) { case LOW: return 3; default: return 4; } } }
    class Inner implements Serializable { int get() { for (int i = 0; ; i++) { if (i > 3) return i; } } }
    interface Shape extends Serializable { int K = compute(); default int area() { return K > 3 ? 1 : 2; } }
    static int compute() { return 5; }
    static class Square implements Shape { }
    static abstract class Generic<T extends Comparable<T>> implements Serializable { T max(List<T> l) { T b = null; for (T x : l) { if (b == null || x.compareTo(b) > 0) b = x; } return b; } }
    static class Init implements Serializable { static int c; static { for (int i = 0; i < 3; i++) c += i; } { c++; } }
    static void show(Class<?> c) {
        ObjectStreamClass o = ObjectStreamClass.lookup(c);
        List<String> all = new ArrayList<>();
        for (Method m : c.getDeclaredMethods()) all.add(m.toString());
        for (Field f : c.getDeclaredFields()) all.add(f.toString());
        for (Constructor<?> k : c.getDeclaredConstructors()) all.add(k.toString());
        for (Class<?> k : c.getDeclaredClasses()) all.add(k.toString());
        Collections.sort(all);
        System.out.println(c.getName() + " " + (o == null ? "-" : o.getSerialVersionUID()) + " " + all);
    }
    public static void main(String[] a) throws Exception {
        Object anonymous = new Serializable() { int q() { return 1; } };
        class Local implements Serializable { int z() { return a.length; } }
        for (Class<?> c : new Class<?>[] { Plain.class, Lambdas.class, Asserts.class, Level.class, Level.LOW.getClass(), Inner.class, Shape.class, Square.class, Generic.class, Init.class, anonymous.getClass(), Local.class, Main.class }) show(c);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ObjectOutputStream(out).writeObject(new Lambdas().f);
        System.out.println(out.size() + Init.c + new Square().area() + new Plain().f(3));
    }
}
"#;

#[test]
fn serial_versions_and_members_stay_with_every_probe() {
    let Some(program) = Program::new(&[("Main.java", SERIAL)]) else { return };
    program.javac(&["-g", "-nowarn", "-d", "plain"], &["src/Main.java"]);
    let plain = program.tool("java").args(["-cp", "plain", "Main"]).output().unwrap();
    let plain = String::from_utf8(plain.stdout).unwrap();
    assert!(plain.lines().count() == 14 && plain.contains("Main$Plain "), "{plain}");
    for probe in ["count", "window", "calls"] {
        program.trace("Main", &["--probe", probe]).printed(&plain);
    }
}

//! `wattline trace` as a user meets it: today's Java, methods that have no room for probes,
//! programs of several class loaders and processes.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::host::said;
use wattline::toolchain::Jdk;

/// What a traced program left: its counts by block name, and what was said.
struct Traced {
    counts: BTreeMap<String, u64>,
    said: String,
    findings: String,
}

/// Traces a program whose class is `Main`; nothing without a JDK.
fn trace(source: &str) -> Option<Traced> {
    if let Err(error) = Jdk::find() {
        crate::skip::because(error);
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let (sources, out) = (folder.path().join("src"), folder.path().join("out"));
    fs::create_dir(&sources).unwrap();
    fs::write(sources.join("Main.java"), source).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_wattline"))
        .args(["trace", "--main", "Main"])
        .arg(&sources)
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap();
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    let findings = read(&out, "findings.csv");
    let rows = csv::Reader::from_path(out.join("counts.csv")).unwrap().into_records();
    let rows = rows.map(|row| row.unwrap());
    let rows = rows.filter(|row| !row[2].is_empty());
    let counts = rows.map(|row| (row[1].to_string(), row[2].parse().unwrap())).collect();
    Some(Traced { counts, said, findings })
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_default()
}

#[test]
fn sources_are_taken_for_the_jdks_own_release() {
    let source = "
        record Point(int x, int y) { }
        class Main {
            public static void main(String[] arguments) {
                Object point = new Point(1, 2);
                if (point instanceof Point p && p.x() == 1) {
                    System.out.println(\"\"\"
                        a text block\"\"\");
                }
            }
        }";
    let Some(traced) = trace(source) else { return };
    assert!(traced.said.contains("a text block"), "{}", traced.said);
    assert_eq!(traced.counts["Main.main(String[]).if_1"], 1);
}

/// Close to 64 KB of bytecode: there is no room for probes.
#[test]
fn a_method_too_large_for_its_probes_goes_without_and_the_others_are_counted() {
    let mut body = String::new();
    for i in 0..4000 {
        writeln!(body, "        if (x == {i}) x += y;").unwrap();
    }
    let source = format!(
        "class Main {{\n    static int large(int x, int y) {{\n{body}        return x;\n    }}\n\
         static int small(int x) {{ return x + 1; }}\n\
         public static void main(String[] a) {{ System.out.println(large(small(1), 3)); }}\n}}\n"
    );
    let Some(traced) = trace(&source) else { return };
    assert_eq!(traced.counts["Main.small(int)"], 1);
    assert_eq!(traced.counts["Main.main(String[])"], 1);
    assert_eq!(traced.counts.get("Main.large(int,int).if_1"), None, "not known is not zero");
    assert!(traced.findings.contains("the compiler refused its probe"), "{}", traced.findings);
}

/// Each operand has a probe, and javac follows nested expressions by recursion.
#[test]
fn deeply_nested_expressions_are_counted() {
    const DEPTH: usize = 700;
    let mut condition = "x > 0".to_string();
    for i in 0..DEPTH {
        condition = format!("(x > {i} || ({condition}))");
    }
    let source = format!(
        "class Main {{\n    static boolean deep(int x) {{\n        boolean is = {condition};\n\
         if (is) return true;\n return false;\n    }}\n\
         public static void main(String[] a) {{ System.out.println(deep(1)); }}\n}}\n"
    );
    let Some(traced) = trace(&source) else { return };
    assert!(traced.said.contains("true"), "{}", traced.said);
    assert_eq!(traced.counts["Main.deep(int).if_1"], 1);
}

/// `Main` loads itself again by another class loader, whose counters are its own, and starts
/// a second process in the same folder.
#[test]
fn counts_of_all_class_loaders_and_processes_are_added_up() {
    let source = "
        import java.io.File;
        import java.net.URL;
        import java.net.URLClassLoader;
        public class Main {
            static void work(int n) {
                for (int i = 0; i < n; i++) {
                    System.out.print(\"\");
                }
            }
            public static void again(int n) {
                work(n);
            }
            public static void main(String[] arguments) throws Exception {
                if (arguments.length > 0) {
                    work(100);
                    return;
                }
                work(1);
                URL[] path = {new File(System.getProperty(\"java.class.path\")).toURI().toURL()};
                for (int i = 0; i < 3; i++) {
                    ClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader());
                    loader.loadClass(\"Main\").getMethod(\"again\", int.class).invoke(null, 10);
                }
                String java = System.getProperty(\"java.home\") + \"/bin/java\";
                Process[] others = new Process[2];
                for (int i = 0; i < 2; i++) {
                    String[] command = {java, \"-cp\", System.getProperty(\"java.class.path\"), \"Main\", \"child\"};
                    others[i] = new ProcessBuilder(command).inheritIO().start();
                }
                for (Process other : others) {
                    other.waitFor();
                }
            }
        }";
    let Some(traced) = trace(source) else { return };
    assert!(!traced.said.contains("can't be written"), "{}", traced.said);
    assert_eq!(traced.counts["Main.work(int).for_1"], 1 + 3 * 10 + 2 * 100);
    assert_eq!(traced.counts["Main.work(int)"], 1 + 3 + 2);
    assert_eq!(traced.counts["Main.again(int)"], 3);
    assert_eq!(traced.counts["Main.main(String[])"], 3);
}

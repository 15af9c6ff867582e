//! Archives, source trees and names that were made to do harm: nothing is written outside of the
//! folder that was named, nothing of an application is run where it is only built, and what is
//! refused is told.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::fs;
use std::io::{Cursor, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use wattline::toolchain::{Jdk, jar};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::host::{answer, javac_at};

const MAIN: &str = "class Main { public static void main(String[] a) { System.out.println(1); } }";

type Writer = ZipWriter<Cursor<Vec<u8>>>;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn jar(&self, name: &str, entries: &[(&str, &str)]) -> PathBuf {
        let entries = entries.iter().map(|(name, text)| (name.to_string(), text.as_bytes().into()));
        self.write(name, jar::pack(&[], &entries.collect()))
    }

    /// Runs wattline with these words and `--out`; its code and what it said. One that waits for
    /// ever is ended, with code 124.
    fn run(&self, words: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new("timeout");
        command.args(["300", env!("CARGO_BIN_EXE_wattline")]).args(words);
        command.arg("--out").arg(self.path("out")).args(["--force"]).stdin(Stdio::null());
        answer(command.output().unwrap())
    }

    fn findings(&self) -> String {
        fs::read_to_string(self.path("out/findings.csv")).unwrap()
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn entries_of_a_source_jar_are_not_written_outside() {
    let folder = Folder::new();
    let outside = folder.path("outside.java");
    let jar = folder.jar(
        "a-sources.jar",
        &[("Main.java", MAIN), (text(&outside), MAIN), ("../../up.java", MAIN)],
    );
    let mut commands = vec![vec!["instrument", text(&jar)]];
    match Jdk::find() {
        Ok(_) => commands.push(vec!["trace", text(&jar), "--main", "Main"]),
        Err(error) => crate::skip::because(error),
    }
    for command in commands {
        let (code, said) = folder.run(&command);
        assert_eq!(code, Some(0), "{said}");
        let findings = folder.findings();
        assert!(findings.contains("its name is absolute"), "{findings}");
        assert!(findings.contains("../../up.java"), "{findings}");
        assert!(!outside.exists() && !folder.path("../up.java").exists(), "{command:?}");
    }
}

#[test]
fn line_breaks_in_names_are_no_options_of_javac() {
    if let Err(error) = Jdk::find() {
        return crate::skip::because(error);
    }
    let folder = Folder::new();
    let evil = "x\n-Xplugin:Evil\ny.java";
    let jar = folder.jar("a.jar", &[("Main.java", MAIN), (evil, "class Y {}")]);
    folder.write("tree/Main.java", MAIN);
    folder.write(&format!("tree/{evil}"), "class Y {}");
    for sources in [jar, folder.path("tree")] {
        let (code, said) = folder.run(&["trace", text(&sources), "--main", "Main"]);
        assert_eq!(code, Some(0), "{said}");
        let findings = folder.findings();
        assert!(findings.contains("x\\n-Xplugin:Evil\\ny.java"), "{findings}");
        assert!(findings.contains("control character"), "{findings}");
    }
}

/// A plugin of javac that starts by itself, as its jar is on the class path.
#[test]
fn plugins_of_javac_in_libraries_are_not_run() {
    let jdk = match Jdk::find() {
        Ok(jdk) => jdk,
        Err(error) => return crate::skip::because(error),
    };
    let folder = Folder::new();
    let mark = folder.path("ran");
    let plugin = format!(
        "public class Evil implements com.sun.source.util.Plugin {{
             public Evil() throws Exception {{ new java.io.FileOutputStream(\"{}\").close(); }}
             public String getName() {{ return \"Evil\"; }}
             public boolean autoStart() {{ return true; }}
             public void init(com.sun.source.util.JavacTask task, String... arguments) {{ }}
         }}",
        mark.display()
    );
    let source = folder.write("plugin/Evil.java", plugin);
    let mut javac = javac_at(&jdk.javac);
    javac.arg("-d").arg(folder.path("plugin")).arg(&source);
    assert!(javac.output().unwrap().status.success());
    folder.write("plugin/META-INF/services/com.sun.source.util.Plugin", "Evil\n");
    let entries = jar::read_folder(&folder.path("plugin")).unwrap();
    let library = folder.write("plugin.jar", jar::pack(&[], &entries));
    let main = folder.write("tree/Main.java", MAIN);
    // The plugin works, where it is let.
    let mut javac = javac_at(&jdk.javac);
    javac.arg("-cp").arg(&library).arg("-d").arg(folder.path("classes")).arg(&main);
    assert!(javac.output().unwrap().status.success());
    assert!(mark.exists(), "this JDK starts no plugins by itself");
    fs::remove_file(&mark).unwrap();
    let tree = folder.path("tree");
    let words = ["trace", text(&tree), "--main", "Main", "--classpath", text(&library)];
    let (code, said) = folder.run(&words);
    assert_eq!(code, Some(0), "{said}");
    assert!(!mark.exists(), "the plugin of a library ran in javac");
}

#[test]
fn archives_that_unpack_to_too_much_are_refused() {
    let folder = Folder::new();
    let zeros = vec![b' '; 1 << 20];
    let make = |fill: &dyn Fn(&mut Writer)| {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        fill(&mut writer);
        writer.finish().unwrap().into_inner()
    };
    let overlap = make(&|writer| {
        writer.start_file("A.java", SimpleFileOptions::default()).unwrap();
        (0..4).for_each(|_| writer.write_all(&zeros).unwrap());
        for n in 0..2000 {
            writer.shallow_copy_file("A.java", &format!("A{n}.java")).unwrap();
        }
    });
    let bomb = make(&|writer| {
        for n in 0..6 {
            writer.start_file(format!("A{n}.java"), SimpleFileOptions::default()).unwrap();
            (0..60).for_each(|_| writer.write_all(&zeros).unwrap());
        }
    });
    for (bytes, words) in [(overlap, "its entries overlap"), (bomb, "unpacked bytes")] {
        assert!(bytes.len() < 1 << 20, "{}", bytes.len());
        let jar = folder.write("a.jar", bytes);
        let (code, said) = folder.run(&["scan", text(&jar)]);
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains(text(&jar)) && said.contains(words), "{said}");
    }
}

#[test]
fn what_never_ends_is_no_source() {
    let folder = Folder::new();
    folder.write("tree/Main.java", MAIN);
    let fifo = |name: &str| {
        mknodat(CWD, folder.path(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        folder.path(name)
    };
    let fifos = [fifo("Single.java"), fifo("a.jar"), fifo("a")];
    fifo("tree/Fifo.java");
    symlink("/dev/zero", folder.path("tree/Zero.java")).unwrap();
    symlink("/dev/zero", folder.path("Zero.java")).unwrap();
    let tree = folder.path("tree");
    let (code, said) = folder.run(&["scan", text(&tree)]);
    assert_eq!(code, Some(0), "{said}");
    let findings = folder.findings();
    for name in ["Fifo.java,0,unreadable-file", "Zero.java,0,link-not-followed"] {
        assert!(findings.contains(name), "{findings}");
    }
    for path in fifos.iter().chain([&folder.path("Zero.java")]) {
        let (code, said) = folder.run(&["scan", text(path)]);
        assert_eq!(code, Some(3), "{said}");
        let kind = if path.ends_with("Zero.java") { "it is a device" } else { "it is a FIFO" };
        assert!(said.contains(text(path)) && said.contains(kind), "{said}");
    }
    let (code, said) = folder.run(&["scan", text(&tree), "--classpath", text(&fifos[2])]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("it is a FIFO"), "{said}");
}

/// As Bazel lays out its trees: files and folders are links, some of them to a folder around.
#[test]
fn links_in_source_trees_are_followed() {
    let folder = Folder::new();
    folder.write("workspace/a/A.java", "package a; class A { int f(int x) { return x + 1; } }");
    folder.write("gen/b/B.java", "package b; class B { int f(int x) { return x * 2; } }");
    folder.write("store/C.java", "class C { int f(int x) { return x - 3; } }");
    fs::create_dir_all(folder.path("workspace/out")).unwrap();
    let link = |target: &str, name: &str| symlink(target, folder.path(name)).unwrap();
    link("../../gen", "workspace/out/gen");
    link("../../store/C.java", "workspace/out/C.java");
    link("../../workspace", "workspace/out/workspace");
    link("../workspace/a", "gen/loop");
    let (code, said) = folder.run(&["scan", text(&folder.path("workspace"))]);
    assert_eq!(code, Some(0), "{said}");
    let operations = fs::read_to_string(folder.path("out/operations.csv")).unwrap();
    for operation in ["Addition_int_int", "Multi_int_int", "Subtraction_int_int"] {
        assert_eq!(operations.matches(operation).count(), 1, "{operation} in {operations}");
    }
    let findings = folder.findings();
    for name in ["out/workspace,0,link-not-followed", "out/gen/loop,0,link-not-followed"] {
        assert!(findings.contains(name), "{findings}");
    }
}

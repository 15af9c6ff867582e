//! `scan` on anything: it ends in time, does not crash, says what it could not read, and
//! goes on with the rest.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::host::with_default;

mod agent;
mod archives;
mod fuzz;
mod partials;
mod scenarios;
mod tables;

const WATTLINE: &str = env!("CARGO_BIN_EXE_wattline");

/// The longest any scan of these tests may take, on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

fn start(folder: &Path, out: &Path) -> Child {
    let mut command = Command::new(WATTLINE);
    command.arg("scan").arg(folder).arg("--out").arg(out).arg("--no-cache");
    let mut command = with_default(Signal::INT, &command);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Runs `scan` on `folder`; fails if it does not end in time.
fn scan(folder: &Path, out: &Path) -> Output {
    let mut child = start(folder, out);
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("{} is not scanned within {LIMIT:?}", folder.display());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

fn findings(out: &Path) -> String {
    fs::read_to_string(out.join("findings.csv")).unwrap()
}

#[test]
fn a_scan_that_is_stopped_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (sources, out) = (folder.path().join("sources"), folder.path().join("out"));
    fs::create_dir(&sources).unwrap();
    fs::create_dir(&out).unwrap();
    let methods = |class: usize| -> String {
        (0..2000).map(|n| format!("int m{n}(int a) {{ return a + {class}; }}\n")).collect()
    };
    for class in 0..100 {
        let text = format!("class C{class} {{ {} }}", methods(class));
        fs::write(sources.join(format!("C{class}.java")), text).unwrap();
    }
    let mut child = start(&sources, &out);
    let begun = || fs::read_dir(&out).unwrap().count() == 3;
    while !begun() {
        assert!(child.try_wait().unwrap().is_none(), "the scan ended before it was stopped");
        std::thread::sleep(Duration::from_millis(1));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(Signal::INT.as_raw()));
    assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
}

#[test]
fn what_can_not_be_read_is_a_finding_and_the_rest_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let sources = folder.path().join("sources");
    fs::create_dir(&sources).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(sources.join(name), bytes).unwrap();
    write("Good.java", b"class Good { int f(int a) { return a + 1; } }");
    write("Latin.java", b"class Latin { String s = \"\xe4\"; int g(int a) { return a * 2; } }");
    write("Binary.java", &(0..=255).cycle().take(40_000).collect::<Vec<u8>>());
    write("Zeros.java", &[0; 10_000]);
    write("Empty.java", b"");
    write("Torn.java", b"class Torn { void f() { if (a) { g(1, \"x");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::os::unix::fs::symlink(&sources, sources.join("loop")).unwrap();
        std::os::unix::fs::symlink("Nowhere.java", sources.join("Dangling.java")).unwrap();
        let closed = sources.join("closed");
        fs::create_dir(&closed).unwrap();
        fs::write(closed.join("Hidden.java"), "class Hidden { }").unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    }
    let out = folder.path().join("out");
    let output = scan(&sources, &out);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let closed = fs::Permissions::from_mode(0o700);
        fs::set_permissions(sources.join("closed"), closed).unwrap();
    }
    assert!(output.status.success());
    let findings = findings(&out);
    for file in ["Latin.java", "Binary.java", "Torn.java"] {
        assert!(findings.contains(file), "{file} has no finding:\n{findings}");
    }
    assert!(!findings.contains("Good.java"), "{findings}");
    let operations = fs::read_to_string(out.join("operations.csv")).unwrap();
    assert!(operations.contains("Addition_int_int"), "{operations}");
    assert!(operations.contains("Multi_int_int"), "{operations}");
}

/// Anonymous classes, each within the one before. The name of each has those of all around it:
/// time and memory grow with the square of their number.
fn nested_creations(n: usize) -> String {
    let (open, close) = ("new O() { Object g = ".repeat(n), "; }".repeat(n));
    format!("class A {{ Object f = {open}1{close}; }}")
}

/// Source that nests or repeats `n` times, by name; fewer times what takes the square of the time.
fn deep(n: usize, of_square: usize) -> Vec<(&'static str, String)> {
    let nested = |before: &str, open: &str, middle: &str, close: &str, after: &str| {
        format!("{before}{}{middle}{}{after}", open.repeat(n), close.repeat(n))
    };
    let field = |open: &str, middle: &str, close: &str| {
        nested("class A { Object f = ", open, middle, close, "; }")
    };
    let body = |open: &str, middle: &str, close: &str| {
        nested("class A { void m(int a) { ", open, middle, close, " } }")
    };
    vec![
        ("parentheses", field("(", "1", ")")),
        ("calls", field("f(", "1", ")")),
        ("receivers", field("", "s", ".append(1)")),
        ("accesses", field("", "a", ".b")),
        ("sums", field("a + ", "1", "")),
        ("ands", field("a && ", "b", "")),
        ("negations", field("!", "a", "")),
        ("casts", field("(int) ", "1", "")),
        ("conditionals", field("a ? b : ", "c", "")),
        ("lambdas", field("() -> ", "1", "")),
        ("lambdas in calls", field("f(() -> ", "1", ")")),
        ("creations", nested_creations(of_square)),
        ("arrays", field("a[", "1", "]")),
        ("generics", nested("class A { ", "L<", "X", ">", " f; }")),
        ("blocks", body("{ ", ";", " }")),
        ("ifs", body("if (a > 0) { ", ";", " }")),
        ("else ifs", body("if (a == 1) m(a); else ", "m(a);", "")),
        ("loops", body("while (a > 0) { ", ";", " }")),
        ("switches", body("switch (a) { case 1: ", ";", " }")),
        ("tries", body("try { ", ";", " } finally { }")),
        ("statements", body("a = a + 1; ", ";", "")),
        ("classes", nested("", "class A { ", "", "}", "")),
        ("methods", nested("class A { ", "void m() { m(); } ", "", "", "}")),
        // Each is looked at to the end of the file.
        ("comments", "/* ".repeat(5 * of_square)),
        ("braces", "{".repeat(n)),
        ("quotes", "\"a\\".repeat(n)),
    ]
}

#[test]
fn a_hundred_thousand_levels_are_scanned() {
    let folder = tempfile::tempdir().unwrap();
    let sources = folder.path().join("sources");
    fs::create_dir(&sources).unwrap();
    let is_night = std::env::var_os("WATTLINE_ROBUST").is_some();
    let (n, of_square) = if is_night { (100_000, 20_000) } else { (20_000, 1_000) };
    for (name, text) in deep(n, of_square) {
        let start = Instant::now();
        let place = sources.join(name);
        fs::create_dir(&place).unwrap();
        fs::write(place.join("A.java"), text).unwrap();
        let output = scan(&place, &folder.path().join("out").join(name));
        assert!(output.status.success(), "{name}: {}", output.status);
        println!("{n} {name}: {:?}", start.elapsed());
    }
}

#[test]
fn a_large_file_is_scanned() {
    let folder = tempfile::tempdir().unwrap();
    let megabytes = if std::env::var_os("WATTLINE_ROBUST").is_some() { 50 } else { 2 };
    let method = |n: usize| {
        format!("  int m{n}(int[] a, long b) {{ for (int i : a) b += i * {n}; return (int) b; }}\n")
    };
    let mut text = "class Large {\n".to_owned();
    let mut n = 0;
    while text.len() < megabytes << 20 {
        text.push_str(&method(n));
        n += 1;
    }
    text.push('}');
    fs::write(folder.path().join("Large.java"), text).unwrap();
    let out = folder.path().join("out");
    assert!(scan(folder.path(), &out).status.success());
    let blocks = fs::read_to_string(out.join("blocks.csv")).unwrap();
    assert_eq!(blocks.lines().count(), 1 + 3 * n);
}

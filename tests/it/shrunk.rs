//! A program that went through the real R8 (class files, optimised, inlined, renamed) is
//! recorded both ways, and `--mapping` gives the names of its sources back. Without a JDK,
//! or R8 by Maven, the test says that it skips.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use wattline::toolchain::monitor_agent::monitor_agent;
use wattline::toolchain::{Jdk, artifact};

use super::host::{BRIEF_JAVA, javac_at};

const WATTLINE: &str = env!("CARGO_BIN_EXE_wattline");
/// New enough for the classes of the JDK, which it reads as its library.
const R8: &str = "com.android.tools:r8:9.5.28";
const R8_SHA256: &str = "38a9ffaaebbd17d1514e3ecbff5a85b989bb13c551b9e224c7409514eea84ff5";

type Row = BTreeMap<String, String>;

/// What the recordings are of.
struct Program {
    folder: tempfile::TempDir,
    jdk: Jdk,
    mapping: String,
}

fn done(command: &mut Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}

/// The program after R8; nothing where something for it is missing.
fn shrunk() -> Option<Program> {
    let jdk = Jdk::find().map_err(crate::skip::because).ok()?;
    let r8 = artifact::fetch(R8, R8_SHA256).map_err(crate::skip::because).ok()?;
    monitor_agent(&jdk).map_err(crate::skip::because).ok()?;
    let folder = tempfile::tempdir().unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/shrunk");
    let sources = fs::read_dir(&here).unwrap().map(|entry| entry.unwrap().path());
    let sources: Vec<PathBuf> =
        sources.filter(|path| path.extension().is_some_and(|e| e == "java")).collect();
    let at = |name: &str| folder.path().join(name);
    done(javac_at(&jdk.javac).args(["-g", "--release", "17", "-d"]).arg(at("plain")).args(sources));
    let names = ["Main", "World", "Ground", "Ice", "Sand"];
    let classes = names.map(|name| at("plain").join(format!("game/{name}.class")));
    let home = jdk.java.canonicalize().unwrap();
    done(
        Command::new(&jdk.java)
            .args(BRIEF_JAVA)
            .arg("-cp")
            .arg(r8)
            .args(["com.android.tools.r8.R8", "--classfile", "--release", "--lib"])
            .arg(home.parent().unwrap().parent().unwrap())
            .arg("--pg-conf")
            .arg(here.join("keep.pro"))
            .arg("--pg-map-output")
            .arg(at("mapping.txt"))
            .arg("--output")
            .arg(at("shrunk.jar"))
            .args(classes),
    );
    let mapping = fs::read_to_string(at("mapping.txt")).unwrap();
    Some(Program { folder, jdk, mapping })
}

impl Program {
    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Methods of a recording of the shrunk program, by the names of the sources.
    fn methods(&self, mode: &[&str]) -> Vec<Row> {
        let (rec, named) = (self.at(mode[0]), self.at(&format!("{}-named", mode[0])));
        done(
            Command::new(WATTLINE)
                .args(["monitor", "--headless", "--tdp", "65", "--interval", "0.5", "--mode"])
                .args(mode)
                .arg("--out")
                .arg(&rec)
                .arg("--")
                .arg(&self.jdk.java)
                .arg("-cp")
                .arg(self.at("shrunk.jar"))
                .args(["game.Main", "2"]),
        );
        done(
            Command::new(WATTLINE)
                .arg("account")
                .args([rec.join("monitor.toml"), rec])
                .arg("--mapping")
                .arg(self.at("mapping.txt"))
                .arg("--out")
                .arg(&named),
        );
        let text = fs::read_to_string(named.join("accounts/methods.csv")).unwrap();
        let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize();
        let rows = rows.map(Result::unwrap);
        rows.filter(|row: &Row| !row["class"].starts_with('(')).collect()
    }
}

/// The lines of a method, from the source that holds them.
fn is_within(row: &Row, file: &str, lines: (u32, u32)) {
    assert_eq!(row["file"], file, "{row:?}");
    let number = |column: &str| row[column].parse::<u32>().unwrap();
    let (first, last) = (number("first_line"), number("last_line"));
    assert!(lines.0 <= first && first <= last && last <= lines.1, "{row:?} in {lines:?}");
}

fn of<'r>(rows: &'r [Row], class: &str, method: &str) -> &'r Row {
    let found = rows.iter().find(|row| row["class"] == class && row["method"] == method);
    found.unwrap_or_else(|| panic!("no {class}.{method} in {rows:#?}"))
}

#[test]
fn what_r8_renamed_changed_and_inlined_has_its_names_back() {
    let Some(program) = shrunk() else { return };
    for comment in ["\"id\":\"sourceFile\"", "com.android.tools.r8.residualsignature"] {
        assert!(program.mapping.contains(comment), "{}", program.mapping);
    }
    let inlined = program.mapping.lines().any(|line| line.contains("game.World.heavy(int)"));
    assert!(inlined, "{}", program.mapping);

    // A probe stands in what is left as a method: inlined code is its outermost frame's.
    let rows = program.methods(&["instrumentation", "--exact"]);
    let found: Vec<String> =
        rows.iter().map(|row| format!("{}.{}", row["class"], row["method"])).collect();
    assert!(found.iter().all(|name| name.starts_with("game.")), "{found:?}");
    is_within(of(&rows, "game.Main", "main(String[])"), "game/Main.java", (5, 13));
    is_within(of(&rows, "game.World", "light(int,String)"), "game/World.java", (29, 40));
    is_within(of(&rows, "game.World", "light(double[],int)"), "game/World.java", (43, 54));
    is_within(of(&rows, "game.Sand", "slide(long[],int)"), "game/Sand.java", (5, 11));

    // A sample has a line, and so the innermost frame.
    let rows = program.methods(&["sampling"]);
    let inlined = rows.iter().filter(|row| {
        row["class"] == "game.World" && ["heavy", "mixed"].contains(&row["method"].as_str())
    });
    let inlined: Vec<&Row> = inlined.collect();
    assert!(!inlined.is_empty(), "{rows:#?}");
    inlined.iter().for_each(|row| is_within(row, "game/World.java", (15, 26)));
    is_within(of(&rows, "game.World", "light"), "game/World.java", (29, 54));
    is_within(of(&rows, "game.Sand", "slide"), "game/Sand.java", (5, 11));
}

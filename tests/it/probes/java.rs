//! Compiling and running Java for the tests.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::host::{BRIEF_JAVA, javac_at, said};
use wattline::build::counts_files::read_counts;
use wattline::instrument::{GeneratedFile, InstrumentedSources};
use wattline::java::SourceFile;
use wattline::toolchain::Jdk;

/// The JDK that the program itself takes.
pub fn jdk() -> Jdk {
    Jdk::find().unwrap()
}

/// Whether there is a JDK; says so if not.
pub fn has_jdk() -> bool {
    Jdk::find().inspect_err(|error| crate::skip::because(error)).is_ok()
}

/// The version of its javac: 17 of `javac 17.0.15`.
pub fn javac_version() -> u32 {
    let output = javac_at(&jdk().javac).arg("-version").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let number = text.trim().trim_start_matches("javac ").split('.').next().map(str::to_owned);
    number.and_then(|number| number.parse().ok()).unwrap_or(8)
}

/// All Java files below `root`, parsed, in the order of their names.
pub fn java_files(root: &Path) -> Vec<SourceFile> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let path = entry.unwrap().into_path();
        if path.extension().is_some_and(|e| e == "java") {
            let relative = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            files.push(SourceFile::parse(relative, std::fs::read_to_string(&path).unwrap()));
        }
    }
    files
}

/// A compiled tree in a folder of its own.
pub struct Build {
    folder: tempfile::TempDir,
}

impl Build {
    /// Writes and compiles `sources`; the error is the compiler's.
    pub fn new(sources: &InstrumentedSources, options: &[&str]) -> Result<Build, String> {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &GeneratedFile| {
            let path = folder.path().join(&file.path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &file.text).unwrap();
            path
        };
        let files = sources.files.iter().chain(&sources.runtime).chain(&sources.switch_file);
        let paths: Vec<PathBuf> = files.map(write).collect();
        let mut javac = javac_at(&jdk().javac);
        javac.current_dir(folder.path());
        javac.args(["-proc:none", "-Xmaxerrs", "100000", "-encoding", "UTF-8", "-d"]);
        javac.arg(folder.path().join("classes")).args(options).args(&paths);
        let output = javac.output().unwrap();
        match output.status.success() {
            true => Ok(Build { folder }),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    /// Where its sources, classes and counts are.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where its classes are.
    pub fn class_folder(&self) -> PathBuf {
        self.folder.path().join("classes")
    }

    /// The binary names of its classes.
    pub fn classes(&self) -> Vec<String> {
        let root = self.class_folder();
        let entries = walkdir::WalkDir::new(&root).into_iter().map(|e| e.unwrap().into_path());
        let classes = entries.filter(|path| path.extension().is_some_and(|e| e == "class"));
        let name = |path: PathBuf| {
            let relative = path.strip_prefix(&root).unwrap().with_extension("");
            relative.to_str().unwrap().replace('/', ".")
        };
        classes.map(name).collect()
    }

    /// Runs class `main`: its standard output, standard error and exit code.
    pub fn run(&self, main: &str) -> String {
        self.forget_counts();
        let mut java = Command::new(jdk().java);
        java.args(BRIEF_JAVA).arg("-cp").arg(self.class_folder()).arg(main);
        let output = java.env("WATTLINE_OUT", self.folder.path()).output().unwrap();
        format!("{}exit code {:?}", said(&output), output.status.code())
    }

    /// Removes what earlier runs have written.
    pub fn forget_counts(&self) {
        for name in std::fs::read_dir(self.folder.path()).unwrap() {
            let path = name.unwrap().path();
            if path.file_name().unwrap().to_string_lossy().starts_with("wattline-") {
                std::fs::remove_file(path).unwrap();
            }
        }
    }

    /// Executions by block id, as the run wrote them.
    pub fn counts(&self) -> HashMap<usize, u64> {
        let text = read_counts(self.folder.path()).unwrap().unwrap_or_default();
        let mut counts = HashMap::new();
        for line in text.lines().filter(|line| *line != "block,executions") {
            let (block, n) = line.split_once(',').unwrap();
            *counts.entry(block.parse().unwrap()).or_default() += n.parse::<u64>().unwrap();
        }
        counts
    }

    /// Executions by block id, from the logs of all threads.
    pub fn logged(&self) -> HashMap<usize, u64> {
        let mut counts = HashMap::new();
        for entry in std::fs::read_dir(self.folder.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "bin") {
                for id in leb128(&std::fs::read(path).unwrap()) {
                    *counts.entry(id).or_default() += 1;
                }
            }
        }
        counts
    }
}

fn leb128(bytes: &[u8]) -> Vec<usize> {
    let mut ids = Vec::new();
    let (mut id, mut shift) = (0, 0);
    for byte in bytes {
        id |= usize::from(byte & 127) << shift;
        shift += 7;
        if byte & 128 == 0 {
            ids.push(id);
            (id, shift) = (0, 0);
        }
    }
    ids
}

//! javac as a process that stays warm: what it says about a whole tree, in tenths of
//! the time that a process for each would take.

#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::host::BRIEF_JAVA;

/// One error or warning.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Said {
    /// `ERROR`, `WARNING`, `MANDATORY_WARNING` or `NOTE`.
    pub kind: String,
    /// javac's name of it.
    pub code: String,
    /// File, relative to the tree.
    pub file: String,
    /// Line, from 1.
    pub line: i64,
    /// Its text.
    pub message: String,
}

/// JAVA_HOME's program `java`, else the one on the path.
pub fn java() -> PathBuf {
    let home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    home.map(|home| home.join("bin/java")).unwrap_or_else(|| "java".into())
}

/// A running compiler with its options.
pub struct Compiler {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Compiler {
    /// For many files.
    pub fn start(options: &[String]) -> Compiler {
        Compiler::start_with(&[], options)
    }

    /// For a few.
    pub fn brief(options: &[String]) -> Compiler {
        Compiler::start_with(&BRIEF_JAVA, options)
    }

    fn start_with(jvm: &[&str], options: &[String]) -> Compiler {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let source = root.join("tests/checker/Attribute.java");
        let mut process = Command::new(java())
            .args(["-Xmx3g", "-Xss16m", "-XX:+UseSerialGC"])
            .args(jvm)
            .arg(source)
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let requests = process.stdin.take().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        Compiler { process, requests, answers }
    }

    /// What javac says about all sources in `folder`; classes go to `output`, if any.
    pub fn compile(&mut self, folder: &Path, output: Option<&Path>) -> Vec<Said> {
        let output = output.map_or(String::new(), |path| path.display().to_string());
        writeln!(self.requests, "{}\t{output}", folder.display()).unwrap();
        self.requests.flush().unwrap();
        let mut said = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.answers.read_line(&mut line).unwrap() > 0, "the compiler has died");
            match line.trim_end_matches('\n') {
                "END" => return said,
                row => said.push(parse(row)),
            }
        }
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn parse(row: &str) -> Said {
    let mut fields = row.splitn(5, '\t').map(str::to_owned);
    let mut next = || fields.next().unwrap_or_default();
    let (kind, code, file) = (next(), next(), next());
    let line = next().parse().unwrap_or(-1);
    Said { kind, code, file, line, message: next() }
}

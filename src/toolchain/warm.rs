//! A Java program that stays warm: it reads requests of one argument a line, and answers
//! each with a code and what there is to say.

use std::fs;
use std::io::{BufRead, BufReader, Error, Read, Result, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::private_files::TemporaryFolder;

use super::class_path::join_paths;
use super::{BRIEF_JVM, Jdk, ToolchainError, UTF8_LOCALE};

/// Such a program, running; it ends with this.
#[derive(Debug)]
pub(super) struct WarmJvm {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    _home: TemporaryFolder,
}

impl WarmJvm {
    /// Starts the program of one source file, its name and its text.
    pub(super) fn start(
        jdk: &Jdk,
        (name, text): (&str, &str),
        classpath: &[PathBuf],
    ) -> std::result::Result<WarmJvm, ToolchainError> {
        let home = TemporaryFolder::new("service")
            .map_err(ToolchainError::io("create", std::env::temp_dir()))?;
        let source = home.path().join(name);
        fs::write(&source, text).map_err(ToolchainError::io("write", &source))?;
        let mut process = Command::new(&jdk.java)
            .args(BRIEF_JVM)
            .args(["-cp", &join_paths(classpath)])
            .arg(&source)
            .envs(UTF8_LOCALE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(ToolchainError::io("start", &jdk.java))?;
        let requests = process.stdin.take().expect("stdin was asked to be a pipe");
        let answers = BufReader::new(process.stdout.take().expect("stdout was asked to be a pipe"));
        Ok(WarmJvm { process, requests, answers, _home: home })
    }

    /// One request; the code, 0 for good, and what it says. No argument is empty or has a
    /// line break.
    pub(super) fn ask(&mut self, arguments: &[String]) -> Result<(i32, String)> {
        let mut text = arguments.join("\n");
        text.push_str("\n\n");
        self.requests.write_all(text.as_bytes())?;
        self.requests.flush()?;
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        let mut numbers = head.split_whitespace().map(str::parse::<i64>);
        let (Some(Ok(code)), Some(Ok(size))) = (numbers.next(), numbers.next()) else {
            return Err(Error::other(format!("unexpected answer {head:?}")));
        };
        let mut bytes = vec![0; size as usize];
        self.answers.read_exact(&mut bytes)?;
        Ok((code as i32, String::from_utf8_lossy(&bytes).into_owned()))
    }
}

impl Drop for WarmJvm {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

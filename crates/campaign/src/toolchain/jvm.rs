//! A program on the local JVM, with a time limit: dry runs and `trace`.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::class_path::join_paths;
use super::{BRIEF_JVM, Jdk, ToolchainError, UTF8_LOCALE};

/// A program to run on the local JVM: class path, class, arguments, input, time limit.
#[derive(Debug, Clone)]
pub struct JvmRun {
    /// JVM options (`-Dname=value`) in addition to those for a fast start.
    pub options: Vec<String>,
    /// Class folders and jars.
    pub classpath: Vec<PathBuf>,
    /// The class with `main`.
    pub main: String,
    /// Program arguments.
    pub arguments: Vec<String>,
    /// Working directory; must exist.
    pub directory: PathBuf,
    /// Standard input.
    pub input: String,
    /// Time limit.
    pub limit: Duration,
}

/// End of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JvmEnd {
    /// The program exited, with this code (128 + signal when killed).
    Exited(i32),
    /// The program was stopped at the time limit.
    TimedOut,
}

/// Output and end of a finished run.
#[derive(Debug, Clone)]
pub struct JvmOutcome {
    /// End of the run.
    pub end: JvmEnd,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Runs the program until its end or the time limit. Output goes to files in the working directory,
/// so that a full pipe can't block the program.
pub fn run_program(jdk: &Jdk, plan: &JvmRun) -> Result<JvmOutcome, ToolchainError> {
    let (out, err) = (plan.directory.join("stdout.txt"), plan.directory.join("stderr.txt"));
    let create = |path: &PathBuf| File::create(path).map_err(ToolchainError::io("create", path));
    let mut child = Command::new(&jdk.java)
        .args(BRIEF_JVM)
        .arg("-XX:-UsePerfData")
        .args(&plan.options)
        .arg("-cp")
        .arg(join_paths(&plan.classpath))
        .arg(&plan.main)
        .args(&plan.arguments)
        .current_dir(&plan.directory)
        .envs(UTF8_LOCALE)
        .stdin(Stdio::piped())
        .stdout(create(&out)?)
        .stderr(create(&err)?)
        .spawn()
        .map_err(ToolchainError::io("start", &jdk.java))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ends early closes the pipe: that is its own business.
        let _ = stdin.write_all(plan.input.as_bytes());
    }
    let deadline = Instant::now() + plan.limit;
    let end = loop {
        match child.try_wait().map_err(ToolchainError::io("wait for", &jdk.java))? {
            Some(status) => break JvmEnd::Exited(exit_code(status)),
            None if Instant::now() >= deadline => {
                let _ = child.kill();
                let _ = child.wait();
                break JvmEnd::TimedOut;
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    let read = |path: &PathBuf| {
        std::fs::read(path)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .map_err(ToolchainError::io("read", path))
    };
    Ok(JvmOutcome { end, stdout: read(&out)?, stderr: read(&err)? })
}

/// The exit code; 128 + signal, as in a shell, when a signal ended the process.
pub fn exit_code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

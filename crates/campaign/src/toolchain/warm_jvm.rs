//! A Java program that keeps running: it reads requests of arguments, and answers each with a code
//! and a message. An unused one waits at its JDK for the next user. All numbers are four bytes,
//! big-endian, and every text follows its length, so that texts can't run into each other.

use std::fs;
use std::io::{BufReader, Error, Read, Result, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::private_files::TemporaryFolder;
use wattline_units::limits::TOOL_ANSWER_BYTES;

use super::cached_program::{JavaProgram, load_or_compile};
use super::{Jdk, ToolchainError, UTF8_LOCALE};

/// Java source of the class that reads requests.
const REQUESTS: &str = include_str!("java/Requests.java");

/// A running program on loan from its JDK, to which it returns on drop.
#[derive(Debug)]
pub(super) struct WarmJvm {
    /// None after a failed request, since the program's state is then unknown.
    running: Option<RunningJvm>,
    idle_jvms: Arc<IdleJvms>,
}

/// Idle programs of a JDK; dropping them ends their processes.
#[derive(Debug, Default)]
pub(super) struct IdleJvms(Mutex<Vec<RunningJvm>>);

impl IdleJvms {
    /// Takes an idle program with the main class `class`, and drops ended ones.
    fn take(&self, class: &str) -> Option<RunningJvm> {
        let mut idle = self.lock();
        idle.retain_mut(|jvm| matches!(jvm.process.try_wait(), Ok(None)));
        let at = idle.iter().position(|jvm| jvm.class == class)?;
        Some(idle.swap_remove(at))
    }

    fn put_back(&self, jvm: RunningJvm) {
        self.lock().push(jvm);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RunningJvm>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running program; dropping it ends the process.
#[derive(Debug)]
struct RunningJvm {
    class: &'static str,
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    empty: PathBuf,
    _home: TemporaryFolder,
}

impl WarmJvm {
    /// Takes an idle program, or starts one from a source file: its class and its text, which reads
    /// requests by the class `Requests`. `first` returns a request that makes the program load the
    /// classes of later ones; its arguments are a source file, a jar, and a folder to write to.
    pub(super) fn start(
        jdk: &Jdk,
        program: (&'static str, &str),
        libraries: &[PathBuf],
        first: impl Fn(&Path, &Path, &Path) -> Vec<String>,
    ) -> std::result::Result<WarmJvm, ToolchainError> {
        let running = match jdk.idle_jvms.take(program.0) {
            Some(running) => running,
            None => RunningJvm::start(jdk, program, libraries, first)?,
        };
        Ok(WarmJvm { running: Some(running), idle_jvms: jdk.idle_jvms.clone() })
    }

    /// An empty folder, for tool options that must name a folder without files.
    pub(super) fn empty_folder(&self) -> Result<&Path> {
        self.running.as_ref().map(|jvm| jvm.empty.as_path()).ok_or_else(ended_error)
    }

    /// Sends one request; returns the code, 0 for success, and the message.
    pub(super) fn ask(&mut self, arguments: &[String]) -> Result<(i32, String)> {
        let mut running = self.running.take().ok_or_else(ended_error)?;
        let answer = running.ask(arguments)?;
        self.running = Some(running);
        Ok(answer)
    }
}

impl Drop for WarmJvm {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            self.idle_jvms.put_back(running);
        }
    }
}

fn ended_error() -> Error {
    Error::other("its process ended with the request before")
}

impl RunningJvm {
    fn start(
        jdk: &Jdk,
        (class, text): (&'static str, &str),
        libraries: &[PathBuf],
        first: impl Fn(&Path, &Path, &Path) -> Vec<String>,
    ) -> std::result::Result<RunningJvm, ToolchainError> {
        let home = TemporaryFolder::new("service")
            .map_err(ToolchainError::io("create", std::env::temp_dir()))?;
        let empty = home.path().join("empty");
        fs::create_dir(&empty).map_err(ToolchainError::io("create", &empty))?;
        let program = JavaProgram { class, text: [text, REQUESTS].concat(), libraries };
        let first_run =
            |source: &Path, jar: &Path, to: &Path| encode_request(&first(source, jar, to));
        // A cache that can't be used is as none.
        let cached = load_or_compile(jdk, &program, &first_run).unwrap_or_default();
        let mut process = program
            .command(jdk, cached, home.path())?
            .envs(UTF8_LOCALE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(ToolchainError::io("start", &jdk.java))?;
        let requests = process.stdin.take().expect("stdin was asked to be a pipe");
        let answers = BufReader::new(process.stdout.take().expect("stdout was asked to be a pipe"));
        Ok(RunningJvm { class, process, requests, answers, empty, _home: home })
    }

    fn ask(&mut self, arguments: &[String]) -> Result<(i32, String)> {
        self.requests.write_all(&encode_request(arguments)?)?;
        self.requests.flush()?;
        read_answer(&mut self.answers)
    }
}

/// Encodes a request: the number of arguments, then each after its length.
fn encode_request(arguments: &[String]) -> Result<Vec<u8>> {
    let number = |length: usize| i32::try_from(length).map(i32::to_be_bytes).map_err(Error::other);
    let mut bytes = number(arguments.len())?.to_vec();
    for argument in arguments {
        bytes.extend(number(argument.len())?);
        bytes.extend(argument.as_bytes());
    }
    Ok(bytes)
}

/// Reads an answer: the code, then the message after its length.
fn read_answer(answers: &mut impl Read) -> Result<(i32, String)> {
    let mut number = || -> Result<i32> {
        let mut bytes = [0; 4];
        answers.read_exact(&mut bytes)?;
        Ok(i32::from_be_bytes(bytes))
    };
    let (code, length) = (number()?, number()?);
    let length = usize::try_from(length).map_err(Error::other)?;
    TOOL_ANSWER_BYTES.check(length as u64)?;
    let mut bytes = vec![0; length];
    answers.read_exact(&mut bytes)?;
    Ok((code, String::from_utf8_lossy(&bytes).into_owned()))
}

impl Drop for RunningJvm {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::super::Compiler;
    use super::*;

    #[test]
    fn an_argument_stays_one_argument() {
        let framed = encode_request(&["a\nb".to_string(), String::new()]).unwrap();
        assert_eq!(framed, b"\0\0\0\x02\0\0\0\x03a\nb\0\0\0\0");
    }

    #[test]
    fn an_idle_program_is_taken_again_and_one_that_ended_is_not() {
        let Ok(jdk) = Jdk::find() else {
            return crate::skip::because("no JDK");
        };
        let idle = |jdk: &Jdk| -> Vec<u32> {
            jdk.idle_jvms.lock().iter().map(|jvm| jvm.process.id()).collect()
        };
        drop(Compiler::start(&jdk).unwrap());
        let first = idle(&jdk);
        assert_eq!(first.len(), 1);
        let (one, two) = (Compiler::start(&jdk).unwrap(), Compiler::start(&jdk).unwrap());
        assert_eq!(idle(&jdk), [0; 0]);
        drop(one);
        assert_eq!(idle(&jdk), first);
        drop(two);
        for jvm in jdk.idle_jvms.lock().iter_mut() {
            jvm.process.kill().unwrap();
            jvm.process.wait().unwrap();
        }
        drop(Compiler::start(&jdk).unwrap());
        assert!(idle(&jdk).len() == 1 && idle(&jdk) != first);
    }

    #[test]
    fn answers_are_read_up_to_a_limit() {
        let read = |mut bytes: &[u8]| read_answer(&mut bytes);
        assert_eq!(read(b"\0\0\0\x01\0\0\0\x02no").unwrap(), (1, "no".to_string()));
        for wrong in [&b"\0\0\0\0\xff\xff\xff\xff"[..], b"\0\0\0\0\x7f\xff\xff\xff", b"\0\0"] {
            assert!(read(wrong).is_err());
        }
    }
}

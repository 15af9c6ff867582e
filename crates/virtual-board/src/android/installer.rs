//! The JVM that reads packages: it stays, since it starts slowly and works fast.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::jdk::{BRIEF_JVM, program};
use crate::package::InstallError;

use super::AndroidError;

const MAIN: &str = "wattline.board.installer.Installer";

/// The program of `installer/`, running; it ends with this.
pub(super) struct Installer {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Installer {
    /// Starts it with the jars of its libraries.
    pub(super) fn start(jar: &Path, libraries: &[PathBuf]) -> io::Result<Self> {
        let path =
            std::env::join_paths(std::iter::once(jar.to_path_buf()).chain(libraries.to_vec()));
        let mut process = program("java")
            .args(BRIEF_JVM)
            .arg("-Xmx512m")
            .arg("-cp")
            .arg(path.map_err(io::Error::other)?)
            .arg(MAIN)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let none = || io::Error::other("no pipe");
        let requests = process.stdin.take().ok_or_else(none)?;
        let answers = BufReader::new(process.stdout.take().ok_or_else(none)?);
        Ok(Self { process, requests, answers })
    }

    /// What a package says of itself, if its signature holds for Android of this API level.
    pub(super) fn read(&mut self, apk: &Path, sdk: u32) -> Result<String, InstallError> {
        let (sdk, apk) = (sdk.to_string(), apk.display().to_string());
        self.ask(&["read", &sdk, &apk])
    }

    /// Makes a jar of a package's classes.
    pub(super) fn translate(
        &mut self,
        apk: &Path,
        classes: &Path,
        framework: &Path,
    ) -> Result<(), InstallError> {
        let paths = [apk, classes, framework].map(|path| path.display().to_string());
        self.ask(&["translate", &paths[0], &paths[1], &paths[2]]).map(drop)
    }

    fn ask(&mut self, words: &[&str]) -> Result<String, InstallError> {
        match self.exchange(words).map_err(AndroidError::Io)? {
            (0, said) => Ok(said),
            (_, said) => Err(InstallError::Refused(said)),
        }
    }

    fn exchange(&mut self, words: &[&str]) -> io::Result<(u8, String)> {
        // No word has a zero byte: they are names of files, and a file's name may have all else.
        let request = words.join("\0");
        let length = u32::try_from(request.len()).map_err(io::Error::other)?;
        self.requests.write_all(&length.to_be_bytes())?;
        self.requests.write_all(request.as_bytes())?;
        self.requests.flush()?;
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        let unexpected = || io::Error::other(format!("unexpected answer {head:?}"));
        let (code, length) = head.trim().split_once(' ').ok_or_else(unexpected)?;
        let code = code.parse().map_err(|_| unexpected())?;
        let mut said = vec![0; length.parse().map_err(|_| unexpected())?];
        self.answers.read_exact(&mut said)?;
        Ok((code, String::from_utf8_lossy(&said).into_owned()))
    }
}

impl Drop for Installer {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

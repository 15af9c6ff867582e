//! JVM process that reads packages. It keeps running, since it starts slowly and works fast.

use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::install_error::{AndroidError, InstallError};
use crate::jdk::{BRIEF_JVM_OPTIONS, jdk_command};

/// Main class of the installer.
const MAIN_CLASS: &str = "wattline.board.installer.Installer";

/// Running JVM of the Java program in `installer/`, killed when dropped.
pub(super) struct InstallerProcess {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl InstallerProcess {
    /// Starts the JVM with the installer's jar and the jars of its libraries.
    pub(super) fn start(jar: &Path, libraries: &[PathBuf]) -> io::Result<Self> {
        let path =
            std::env::join_paths(std::iter::once(jar.to_path_buf()).chain(libraries.to_vec()));
        let mut process = jdk_command("java")
            .args(BRIEF_JVM_OPTIONS)
            .arg("-Xmx512m")
            .arg("-cp")
            .arg(path.map_err(io::Error::other)?)
            .arg(MAIN_CLASS)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let none = || io::Error::other("no pipe");
        let requests = process.stdin.take().ok_or_else(none)?;
        let answers = BufReader::new(process.stdout.take().ok_or_else(none)?);
        Ok(Self { process, requests, answers })
    }

    /// Facts of a package's manifest as tab-separated lines.
    pub(super) fn read_manifest(&mut self, apk: &Path) -> Result<String, InstallError> {
        self.request(&["manifest", &apk.display().to_string()])
    }

    /// Signers of a package as tab-separated lines, if its signature is valid on Android of this
    /// API level.
    pub(super) fn read_signature(&mut self, apk: &Path, sdk: u32) -> Result<String, InstallError> {
        self.request(&["signature", &sdk.to_string(), &apk.display().to_string()])
    }

    /// Translates a package's DEX code to a jar of classes.
    pub(super) fn translate(
        &mut self,
        apk: &Path,
        classes: &Path,
        framework: &Path,
    ) -> Result<(), InstallError> {
        let paths = [apk, classes, framework].map(|path| path.display().to_string());
        self.request(&["translate", &paths[0], &paths[1], &paths[2]]).map(drop)
    }

    /// Sends a request and returns the answer, or the refusal as an error.
    fn request(&mut self, words: &[&str]) -> Result<String, InstallError> {
        match self.exchange(words).map_err(AndroidError::Io)? {
            (0, said) => Ok(said),
            (_, said) => Err(InstallError::Refused(said)),
        }
    }

    /// Sends a request and reads the answer: code (0: success) and text.
    fn exchange(&mut self, words: &[&str]) -> io::Result<(i32, String)> {
        self.requests.write_all(&encode_request(words)?)?;
        self.requests.flush()?;
        read_answer(&mut self.answers)
    }
}

/// Size limit of an answer in bytes, larger than the facts of any package.
const ANSWER_MAX: usize = 64 << 20;

/// Request as bytes: the number of words, then each word after its length.
fn encode_request(words: &[&str]) -> io::Result<Vec<u8>> {
    let number = |n: usize| i32::try_from(n).map(i32::to_be_bytes).map_err(io::Error::other);
    let mut bytes = number(words.len())?.to_vec();
    for word in words {
        bytes.extend(number(word.len())?);
        bytes.extend(word.as_bytes());
    }
    Ok(bytes)
}

/// Reads an answer: its code, then its text after its length.
fn read_answer(answers: &mut impl Read) -> io::Result<(i32, String)> {
    let mut number = || -> io::Result<i32> {
        let mut bytes = [0; 4];
        answers.read_exact(&mut bytes)?;
        Ok(i32::from_be_bytes(bytes))
    };
    let (code, length) = (number()?, number()?);
    let length = usize::try_from(length).ok().filter(|length| *length <= ANSWER_MAX);
    let mut said = vec![0; length.ok_or_else(|| io::Error::other("an answer that is too long"))?];
    answers.read_exact(&mut said)?;
    Ok((code, String::from_utf8_lossy(&said).into_owned()))
}

impl Drop for InstallerProcess {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_line_breaks_stays_one_word() {
        assert_eq!(encode_request(&["a\n\nread"]).unwrap(), b"\0\0\0\x01\0\0\0\x07a\n\nread");
    }

    #[test]
    fn answers_have_a_limit() {
        let read = |mut bytes: &[u8]| read_answer(&mut bytes);
        assert_eq!(read(b"\0\0\0\x01\0\0\0\x02no").unwrap(), (1, "no".to_string()));
        assert!(read(b"\0\0\0\0\x7f\xff\xff\xff").is_err());
        assert!(read(b"\0\0\0\0\xff\xff\xff\xff").is_err());
    }
}

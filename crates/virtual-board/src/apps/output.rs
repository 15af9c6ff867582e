//! Output of an application. It goes to files, which are read before the clock moves: so a line
//! carries the time at which it was printed, however late this program's threads run, and a full
//! pipe stops no process.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// File with standard output, standard error or reports of a process, read line by line.
pub(super) struct ProcessOutput {
    path: PathBuf,
    reader: File,
    /// Beginning of a line whose end was not printed yet.
    partial: Vec<u8>,
}

impl ProcessOutput {
    /// Creates an empty output file.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        File::create(path)?;
        let reader = File::open(path)?;
        Ok(Self { path: path.to_owned(), reader, partial: Vec::new() })
    }

    /// Opens the file for the process to append to.
    pub(super) fn writer(&self) -> io::Result<File> {
        OpenOptions::new().append(true).open(&self.path)
    }

    /// Takes the lines that were completed since the last call.
    pub(super) fn take_lines(&mut self) -> Vec<String> {
        // What can't be read now is read the next time.
        self.reader.read_to_end(&mut self.partial).ok();
        let Some(end) = self.partial.iter().rposition(|byte| *byte == b'\n') else {
            return Vec::new();
        };
        let rest = self.partial.split_off(end + 1);
        let whole = std::mem::replace(&mut self.partial, rest);
        String::from_utf8_lossy(&whole).lines().map(str::to_owned).collect()
    }

    /// Takes all remaining lines of an ended process, with a last line without an end.
    pub(super) fn take_rest(&mut self) -> Vec<String> {
        let mut lines = self.take_lines();
        if !self.partial.is_empty() {
            lines.push(String::from_utf8_lossy(&std::mem::take(&mut self.partial)).into_owned());
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn lines_come_once_and_whole() {
        let folder = tempfile::tempdir().unwrap();
        let mut output = ProcessOutput::create(&folder.path().join("out")).unwrap();
        let mut writer = output.writer().unwrap();
        writer.write_all(b"one\ntw").unwrap();
        assert_eq!(output.take_lines(), ["one"]);
        writer.write_all(b"o\r\n\nend").unwrap();
        assert_eq!(output.take_lines(), ["two", ""]);
        assert!(output.take_lines().is_empty());
        assert_eq!(output.take_rest(), ["end"]);
    }
}

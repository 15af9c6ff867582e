//! Files under `/sys` and `/proc` that the board rewrites while scripts read them.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// File whose text is replaced in place: never empty, never another inode, so that a descriptor
/// that a script holds open stays valid.
pub(super) struct LiveFile {
    file: File,
    text: String,
}

impl LiveFile {
    /// Creates an empty file and its folder.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(Self { file: File::create(path)?, text: String::new() })
    }

    /// Replaces the text, if it differs. A text that cannot be written is tried again the next
    /// time.
    pub(super) fn set(&mut self, text: &str) {
        if self.text == text {
            return;
        }
        let mut written = self.file.write_all_at(text.as_bytes(), 0);
        if self.text.len() > text.len() {
            written = written.and_then(|()| self.file.set_len(text.len() as u64));
        }
        if written.is_ok() {
            text.clone_into(&mut self.text);
        }
    }
}

/// File that scripts write and the board reads, or the other way round. It is opened once, so that
/// a link that scripts put in its place is not followed.
#[derive(Debug)]
pub(super) struct ScriptFile {
    file: File,
}

impl ScriptFile {
    /// Creates a file with a first text, and its folder.
    pub(super) fn create(path: &Path, text: &str) -> io::Result<Self> {
        write_file(path, text)?;
        Ok(Self { file: File::options().read(true).write(true).open(path)? })
    }

    /// Text without blanks around it; empty if it cannot be read.
    pub(super) fn text(&self) -> String {
        // Longer than all that scripts have to write there.
        let mut bytes = [0; 256];
        let count = self.file.read_at(&mut bytes, 0).unwrap_or_default();
        String::from_utf8_lossy(&bytes[..count]).trim().to_owned()
    }

    /// Replaces the text; the file is never empty. A full disk leaves the old text: scripts then
    /// see that nothing changed.
    pub(super) fn set(&self, text: &str) -> io::Result<()> {
        self.file.write_all_at(text.as_bytes(), 0)?;
        self.file.set_len(text.len() as u64)
    }
}

/// Writes a file and creates its folder.
pub(super) fn write_file(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek};

    #[test]
    fn an_open_descriptor_sees_every_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        let mut live = LiveFile::create(&path).unwrap();
        live.set("1.25\n");
        let mut open = File::open(&path).unwrap();
        for text in ["1.50\n", "10.00\n", "1\n"] {
            live.set(text);
            let mut read = String::new();
            open.rewind().unwrap();
            open.read_to_string(&mut read).unwrap();
            assert_eq!(read, text);
        }
    }
}

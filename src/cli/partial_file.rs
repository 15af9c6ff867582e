//! Output for a partial: a file, which is written whole or not at all, or standard output.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::folder::replace_file;

use super::standard_output;

/// File or standard output for a partial.
#[derive(Debug, Clone)]
pub struct PartialFile {
    path: PathBuf,
}

impl PartialFile {
    /// Checks that a file can be written: it does not exist or is to be replaced; `-` is standard
    /// output.
    pub fn open(path: &Path, force: bool) -> Result<Self, Failure> {
        let file = Self { path: path.to_owned() };
        if !file.is_standard_output() && path.exists() && !force {
            return Err(Failure::Exists { path: file.path });
        }
        Ok(file)
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the partial goes to standard output, so that nothing else may be written there.
    pub fn is_standard_output(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Writes the bytes of a partial.
    pub fn put(&self, bytes: &[u8]) -> Result<(), Failure> {
        if !self.is_standard_output() {
            return replace_file(&self.path, bytes).map(drop);
        }
        standard_output::write(bytes)
    }
}

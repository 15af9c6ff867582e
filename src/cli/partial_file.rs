//! Where a partial goes: to a file, which is there whole or not at all, or to standard output.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::folder::replace_file;

use super::standard_output;

/// A place for a partial.
#[derive(Debug, Clone)]
pub struct PartialFile {
    path: PathBuf,
}

impl PartialFile {
    /// A file that is not there yet, or is to be replaced; `-` is standard output.
    pub fn open(path: &Path, force: bool) -> Result<Self, Failure> {
        let file = Self { path: path.to_owned() };
        if !file.is_standard_output() && path.exists() && !force {
            return Err(Failure::Exists { path: file.path });
        }
        Ok(file)
    }

    /// Its name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether nothing else may be written to standard output.
    pub fn is_standard_output(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Writes the partial.
    pub fn put(&self, bytes: &[u8]) -> Result<(), Failure> {
        if !self.is_standard_output() {
            return replace_file(&self.path, bytes).map(drop);
        }
        standard_output::write(bytes)
    }
}

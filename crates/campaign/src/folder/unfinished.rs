//! Temporary files in folders of results, which a program that is stopped would leave.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use tempfile::NamedTempFile;

/// Files that have not got their names yet.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A temporary file in a folder of results, and what has it removed if the program is
/// stopped.
pub(crate) fn new_file_in(folder: &Path) -> io::Result<(NamedTempFile, UnfinishedFile)> {
    let mut unfinished = unfinished();
    let file = NamedTempFile::new_in(folder)?;
    unfinished.insert(file.path().to_path_buf());
    let listed = UnfinishedFile(file.path().to_path_buf());
    Ok((file, listed))
}

/// The file is on the list as long as this is there.
#[derive(Debug)]
pub(crate) struct UnfinishedFile(PathBuf);

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

/// Removes what is unfinished. No file can be begun afterwards.
pub fn remove_unfinished() {
    let unfinished = unfinished();
    for file in unfinished.iter() {
        // What has got its name stays.
        let _ = fs::remove_file(file);
    }
    std::mem::forget(unfinished);
}

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

//! Temporary files in folders of results, which are removed when the program is stopped.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use tempfile::NamedTempFile;

/// Paths of the temporary files that have not got their final names.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Creates a temporary file in a folder of results; the entry has it removed if the program is
/// stopped.
pub(crate) fn new_file_in(folder: &Path) -> io::Result<(NamedTempFile, UnfinishedFileEntry)> {
    let mut unfinished = unfinished();
    let file = NamedTempFile::new_in(folder)?;
    unfinished.insert(file.path().to_path_buf());
    let listed = UnfinishedFileEntry(file.path().to_path_buf());
    Ok((file, listed))
}

/// The entry of a temporary file in the list of unfinished files, removed from the list on drop.
#[derive(Debug)]
pub(crate) struct UnfinishedFileEntry(PathBuf);

impl Drop for UnfinishedFileEntry {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

/// Removes all unfinished files. No file can be begun afterwards.
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

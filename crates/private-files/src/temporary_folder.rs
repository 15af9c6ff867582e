//! Temporary folders: all those of a process are in one of its own, which is locked as long as the
//! process is alive, so that what a killed one leaves can be recognised and removed.

use std::env;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tempfile::{Builder, TempDir};

use super::ownership::create_file;

/// Prefix of processes' folders; the process's number and random letters follow.
pub(crate) const PREFIX: &str = "wattline-tmp-";
/// The file in a process's folder that it holds locked.
pub(crate) const LOCK: &str = "lock";

/// The folder around all temporary folders of this process. It is removed with the last one
/// that uses it.
#[derive(Debug, Clone)]
pub struct ProcessFolder(Arc<LockedFolder>);

#[derive(Debug)]
struct LockedFolder {
    folder: TempDir,
    /// Locked until it is closed, however the process ends.
    _lock: File,
}

static CURRENT: Mutex<Weak<LockedFolder>> = Mutex::new(Weak::new());

impl ProcessFolder {
    /// Returns the folder of this process, which is made if there is none.
    ///
    /// # Errors
    /// The system's temporary folder can't be written.
    pub fn get() -> io::Result<ProcessFolder> {
        let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(around) = current.upgrade() {
            return Ok(ProcessFolder(around));
        }
        let around = Arc::new(LockedFolder::make(&env::temp_dir())?);
        *current = Arc::downgrade(&around);
        Ok(ProcessFolder(around))
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.0.folder.path()
    }
}

impl LockedFolder {
    fn make(parent: &Path) -> io::Result<LockedFolder> {
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let folder = private_folder_builder(&prefix).tempdir_in(parent)?;
        // It has its name only once it is locked: a file of that name that is not belongs to a
        // process that is gone.
        let unlocked = folder.path().join("new-lock");
        let lock = create_file(&unlocked)?;
        lock.try_lock()?;
        fs::rename(&unlocked, folder.path().join(LOCK))?;
        Ok(LockedFolder { folder, _lock: lock })
    }
}

/// A temporary folder that only this user can enter; removed when dropped. When the process is
/// killed, the next one that calls [`sweep_leftovers`](crate::sweep_leftovers) removes it.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: TempDir,
    /// Dropped after the folder.
    _around: ProcessFolder,
}

impl TemporaryFolder {
    /// Makes a folder; `purpose` begins its name.
    ///
    /// # Errors
    /// The system's temporary folder can't be written.
    pub fn new(purpose: &str) -> io::Result<TemporaryFolder> {
        let around = ProcessFolder::get()?;
        let folder = private_folder_builder(&format!("{purpose}-")).tempdir_in(around.path())?;
        Ok(TemporaryFolder { folder, _around: around })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Returns a builder of temporary folders that only their owner can enter, for those that can't be
/// in the process's own.
pub fn private_folder_builder(prefix: &str) -> Builder<'_, 'static> {
    let mut builder = Builder::new();
    builder.prefix(prefix).permissions(fs::Permissions::from_mode(0o700));
    builder
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn temporary_folders_are_for_their_owner_alone_and_go_with_their_process_folder() {
        let [one, other] = ["one", "other"].map(|name| TemporaryFolder::new(name).unwrap());
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
        for folder in [&one, &other] {
            assert_eq!(mode(folder.path()), 0o700);
            assert_eq!(mode(folder.path().parent().unwrap()), 0o700);
        }
        assert_eq!(one.path().parent(), other.path().parent());
        assert!(one.path().file_name().unwrap().to_string_lossy().starts_with("one-"));
        assert_eq!(fs::read_dir(one.path()).unwrap().count(), 0, "the lock is beside them");
        let path = one.path().to_path_buf();
        drop(one);
        assert!(!path.exists() && other.path().exists());
    }

    #[test]
    fn a_process_folder_is_locked_and_removed_when_it_is_dropped() {
        let parent = tempfile::tempdir().unwrap();
        let around = LockedFolder::make(parent.path()).unwrap();
        let lock = File::open(around.folder.path().join(LOCK)).unwrap();
        assert!(lock.try_lock().is_err(), "held");
        drop(around);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}

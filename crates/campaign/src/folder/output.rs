//! Output folders: existing results are kept unless asked otherwise, one process at a time
//! writes, and no file is written half.

use std::fs::{self, File, TryLockError};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::input_file;
use crate::progress::Progress;
use crate::run::OnExisting;

use super::unfinished::{self, UnfinishedFileEntry};

/// An output folder for results. No other process can open the folder while this value or a clone
/// of it exists.
#[derive(Debug, Clone)]
pub struct Output {
    folder: PathBuf,
    existing: OnExisting,
    _lock: Arc<FolderLock>,
}

impl Output {
    /// Opens the folder for results; creates it if it does not exist, and removes it again if
    /// nothing was written. Existing files stay untouched.
    ///
    /// # Errors
    /// The folder can't be created, or another process writes to it.
    pub fn open(
        folder: &Path,
        existing: OnExisting,
        progress: &dyn Progress,
    ) -> Result<Output, Failure> {
        let made = missing_folders(folder);
        fs::create_dir_all(folder).map_err(Failure::io("create", folder))?;
        let lock = Arc::new(lock(folder, made, progress)?);
        Ok(Output { folder: folder.to_path_buf(), existing, _lock: lock })
    }

    /// The same output folder, but with existing files allowed to be replaced, since this program
    /// wrote them itself.
    pub fn replacing(&self) -> Output {
        Output { existing: OnExisting::Replace, ..self.clone() }
    }

    /// Fails if one of `names` exists and may not be replaced; called before long work.
    pub fn check_free(&self, names: &[&str]) -> Result<(), Failure> {
        let taken = names.iter().map(|name| self.folder.join(name)).find(|path| path.exists());
        match (taken, self.existing) {
            (Some(path), OnExisting::Refuse) => Err(Failure::Exists { path }),
            _ => Ok(()),
        }
    }

    /// Writes a file, unless another is there that may not be replaced; one with the same bytes
    /// stays.
    pub fn write_if_free(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        if fs::read(self.path(name)).is_ok_and(|there| there == bytes) {
            return Ok(());
        }
        self.check_free(&[name])?;
        self.write(name, bytes).map(drop)
    }

    /// Writes a file under the folder: to a temporary file, then renamed.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<PathBuf, Failure> {
        let mut file = self.begin(name)?;
        file.add(bytes)?;
        file.finish()
    }

    /// Begins a file under the folder that is written in parts, and gets its name once it is
    /// complete.
    pub fn begin(&self, name: &str) -> Result<UnfinishedFile, Failure> {
        self.check_free(&[name])?;
        UnfinishedFile::begin(self.folder.join(name))
    }

    /// Removes files and folders of an earlier run (`--force`).
    pub fn discard(&self, names: &[&str]) -> Result<(), Failure> {
        for path in names.iter().map(|name| self.folder.join(name)) {
            let removed =
                if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            match removed {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Failure::io("remove", &path)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A path below the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The folder's path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// The system's lock of a folder, which ends with the process, however that ends.
#[derive(Debug)]
struct FolderLock {
    opened: File,
    /// The folder and the parent folders that were created with it, innermost first.
    made: Vec<PathBuf>,
}

impl Drop for FolderLock {
    /// Unlocks the folder before it is closed: a process that is just being started has a copy of
    /// the file, which would keep the lock until the other program begins.
    fn drop(&mut self) {
        // A folder that holds something is not removed.
        let _ = self.made.iter().try_for_each(fs::remove_dir);
        // What could not be locked can't be unlocked either, and was warned of.
        let _ = self.opened.unlock();
    }
}

/// The folder and its parent folders that do not exist, innermost first.
fn missing_folders(folder: &Path) -> Vec<PathBuf> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    folder.ancestors().take_while(is_missing).map(Path::to_path_buf).collect()
}

fn lock(folder: &Path, made: Vec<PathBuf>, progress: &dyn Progress) -> Result<FolderLock, Failure> {
    let opened = File::open(folder).map_err(Failure::io("open", folder))?;
    match opened.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(Failure::InUse { folder: folder.to_path_buf() });
        }
        Err(TryLockError::Error(error)) => progress.warn(&format!(
            "{}: this file system locks no folders ({error}), so nothing keeps another process \
             from writing there",
            folder.display()
        )),
    }
    Ok(FolderLock { opened, made })
}

/// Writes a file at once, over an existing one, in a folder that other processes may write to.
pub fn replace_file(path: &Path, bytes: impl AsRef<[u8]>) -> Result<PathBuf, Failure> {
    let mut file = UnfinishedFile::begin(path.to_path_buf())?;
    file.add(bytes)?;
    file.finish()
}

/// Size of the write buffer in bytes.
const BUFFER: usize = 1 << 16;

/// A temporary file that is written in parts; without [`UnfinishedFile::finish`] it is removed.
#[derive(Debug)]
pub struct UnfinishedFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
    _listed: UnfinishedFileEntry,
}

impl UnfinishedFile {
    fn begin(path: PathBuf) -> Result<UnfinishedFile, Failure> {
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent).map_err(Failure::io("create", parent))?;
        let (file, listed) =
            unfinished::new_file_in(parent).map_err(Failure::io("write in", parent))?;
        Ok(UnfinishedFile { file: BufWriter::with_capacity(BUFFER, file), path, _listed: listed })
    }

    /// Appends bytes.
    pub fn add(&mut self, part: impl AsRef<[u8]>) -> Result<(), Failure> {
        self.file.write_all(part.as_ref()).map_err(Failure::io("write", &self.path))
    }

    /// Gives the file its final name and returns the path.
    pub fn finish(self) -> Result<PathBuf, Failure> {
        let UnfinishedFile { file, path, _listed } = self;
        let failed = Failure::io("write", &path);
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        make_readable(file.as_file()).map_err(Failure::io("write", &path))?;
        file.persist(&path).map_err(|error| Failure::io("write", &path)(error.error))?;
        Ok(path)
    }
}

/// Gives a temporary file, which is private, the permissions of a new file under the user's umask.
fn make_readable(file: &fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644 & !umask()))
}

/// The umask of this process, from `/proc`; the only other way to read the umask sets it, which
/// other threads would see.
fn umask() -> u32 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    mask.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(0)
}

/// Reads a text file that the user named.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    input_file::read_text(path).map_err(Failure::io("read", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    #[test]
    fn what_is_there_is_kept_unless_forced() {
        let folder = tempfile::tempdir().unwrap();
        let careful = Output::open(folder.path(), OnExisting::Refuse, &Silent).unwrap();
        careful.write("a/b.csv", "one").unwrap();
        let error = careful.write("a/b.csv", "two").unwrap_err();
        assert!(error.to_string().contains("b.csv"), "{error}");
        let bold = careful.replacing();
        bold.write("a/b.csv", "two").unwrap();
        assert_eq!(read_text(&folder.path().join("a/b.csv")).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path().join("a")).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_nothing_was_written_to_is_taken_away() {
        let around = tempfile::tempdir().unwrap();
        let made = around.path().join("a/b");
        let open = || Output::open(&made, OnExisting::Refuse, &Silent).unwrap();
        let output = open();
        assert!(made.is_dir());
        drop(output);
        assert!(around.path().is_dir() && !around.path().join("a").exists());
        open().write("c.csv", "one").unwrap();
        drop(open());
        assert!(made.join("c.csv").exists());
        fs::remove_file(made.join("c.csv")).unwrap();
        drop(open());
        assert!(made.is_dir(), "it was there before");
    }

    #[test]
    fn a_file_in_parts_is_there_once_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let output = Output::open(folder.path(), OnExisting::Refuse, &Silent).unwrap();
        let mut file = output.begin("a.csv").unwrap();
        file.add("one\n").unwrap();
        assert!(!folder.path().join("a.csv").exists());
        file.add("two\n").unwrap();
        let path = file.finish().unwrap();
        assert_eq!(read_text(&path).unwrap(), "one\ntwo\n");
        drop(output.begin("b.csv").unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

//! Checks of owner and permissions of files and folders, and their creation.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Permission of others than the owner to write.
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// Permission of everybody to write.
const WRITABLE_BY_ALL: u32 = 0o002;
/// Only the owner of an entry may rename or remove it.
const STICKY: u32 = 0o1000;
/// The bits that `chmod` sets.
const MODE: u32 = 0o7777;

/// A file or folder that another user may have put in place or may change.
#[derive(Debug, Error)]
pub enum PrivacyError {
    /// The file or folder belongs to another user.
    #[error(
        "{} belongs to user {owner}, and this program runs as user {user}: it does not run or \
         trust files of others; set XDG_CACHE_HOME to a folder of your own, or remove it",
        path.display()
    )]
    Foreign {
        /// The file or folder.
        path: PathBuf,
        /// Number of the user that owns it.
        owner: u32,
        /// Number of the user that runs this program.
        user: u32,
    },
    /// Others may write to the file or folder.
    #[error(
        "{} can be written by others (mode {mode:04o}), so its files may be theirs; remove it, or \
         make sure of what is in it and run `chmod go-w {}`",
        path.display(), path.display()
    )]
    Writable {
        /// The file or folder.
        path: PathBuf,
        /// Permissions of the file or folder.
        mode: u32,
    },
    /// A file is in the folder's place.
    #[error("{} is no folder; move it away", path.display())]
    NoFolder {
        /// Path that is no folder.
        path: PathBuf,
    },
    /// The file or folder can't be made or looked at.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// `create`, `read`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
}

impl PrivacyError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> PrivacyError {
        let path = path.to_path_buf();
        move |source| PrivacyError::Io { action, path, source }
    }
}

/// Creates a folder that only this user can enter, and those around it that are missing; one
/// that is there is checked as by [`check_folder`].
///
/// # Errors
/// [`PrivacyError`]: another user's, writable by others, or not to be made.
pub fn make_folder(folder: &Path) -> Result<(), PrivacyError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    match made {
        Err(_) if fs::metadata(folder).is_ok_and(|there| !there.is_dir()) => {
            Err(PrivacyError::NoFolder { path: folder.to_path_buf() })
        }
        Err(error) => Err(PrivacyError::io("create", folder)(error)),
        Ok(()) => check_folder(folder),
    }
}

/// Accepts a folder that belongs to the user who runs this program, that nobody else can write
/// to, and that nobody else can exchange for another: the folders around it are not open to
/// everybody, unless only owners may rename there (as in `/tmp`).
///
/// # Errors
/// [`PrivacyError`], naming the folder at fault.
pub fn check_folder(folder: &Path) -> Result<(), PrivacyError> {
    // Somebody else's link may lead elsewhere tomorrow.
    let link = fs::symlink_metadata(folder).map_err(PrivacyError::io("read", folder))?;
    check_owner(folder, &link)?;
    let whole = folder.canonicalize().map_err(PrivacyError::io("read", folder))?;
    let found = fs::metadata(&whole).map_err(PrivacyError::io("read", &whole))?;
    if !found.is_dir() {
        return Err(PrivacyError::NoFolder { path: whole });
    }
    check_entry(&whole, &found)?;
    whole.ancestors().skip(1).try_for_each(check_parent)
}

/// Accepts a file or folder that is this user's and that no other can write to.
pub(crate) fn check_entry(path: &Path, found: &Metadata) -> Result<(), PrivacyError> {
    check_owner(path, found)?;
    if found.mode() & WRITABLE_BY_OTHERS != 0 {
        let (path, mode) = (path.to_path_buf(), found.mode() & MODE);
        return Err(PrivacyError::Writable { path, mode });
    }
    Ok(())
}

fn check_owner(path: &Path, found: &Metadata) -> Result<(), PrivacyError> {
    let (owner, user) = (found.uid(), rustix::process::geteuid().as_raw());
    if owner == user {
        return Ok(());
    }
    Err(PrivacyError::Foreign { path: path.to_path_buf(), owner, user })
}

/// Accepts a folder in which not everybody can rename what is not theirs.
fn check_parent(folder: &Path) -> Result<(), PrivacyError> {
    let found = fs::metadata(folder).map_err(PrivacyError::io("read", folder))?;
    if found.mode() & WRITABLE_BY_ALL != 0 && found.mode() & STICKY == 0 {
        let (path, mode) = (folder.to_path_buf(), found.mode() & MODE);
        return Err(PrivacyError::Writable { path, mode });
    }
    Ok(())
}

/// Creates a file that only this user can read; a file or link that is there is an error.
///
/// # Errors
/// The system's.
pub fn create_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Creates a file that only this user can read, with these bytes.
///
/// # Errors
/// As [`create_file`].
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    create_file(path)?.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn mode_of(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & MODE
    }

    #[test]
    fn folders_and_files_are_for_their_owner_alone() {
        let around = tempfile::tempdir().unwrap();
        let (folder, file) = (around.path().join("a/b"), around.path().join("a/b/key"));
        make_folder(&folder).unwrap();
        write_file(&file, b"secret").unwrap();
        assert_eq!((mode_of(&folder), mode_of(&file)), (0o700, 0o600));
        assert!(write_file(&file, b"other").is_err(), "a file that is there is not written to");
        make_folder(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_refused_with_the_remedy() {
        let around = tempfile::tempdir().unwrap();
        let folder = around.path().join("cache");
        make_folder(&folder).unwrap();
        for mode in [0o777, 0o770, 0o1777, 0o722] {
            set_mode(&folder, mode);
            let text = make_folder(&folder).unwrap_err().to_string();
            assert!(text.contains("cache") && text.contains("chmod go-w"), "{text}");
        }
        set_mode(&folder, 0o755);
        make_folder(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_others_can_exchange_is_refused() {
        let around = tempfile::tempdir().unwrap();
        let folder = around.path().join("open/cache");
        make_folder(&folder).unwrap();
        set_mode(&around.path().join("open"), 0o777);
        let text = check_folder(&folder).unwrap_err().to_string();
        assert!(text.contains("open can be written by others (mode 0777)"), "{text}");
        set_mode(&around.path().join("open"), 0o1777);
        check_folder(&folder).unwrap();
    }

    #[test]
    fn a_link_to_a_folder_is_judged_by_the_folder_and_a_file_is_none() {
        let around = tempfile::tempdir().unwrap();
        let (real, link) = (around.path().join("real"), around.path().join("link"));
        make_folder(&real).unwrap();
        symlink(&real, &link).unwrap();
        check_folder(&link).unwrap();
        set_mode(&real, 0o777);
        assert!(matches!(check_folder(&link), Err(PrivacyError::Writable { .. })));
        let file = around.path().join("file");
        write_file(&file, b"").unwrap();
        assert!(matches!(make_folder(&file), Err(PrivacyError::NoFolder { .. })));
    }

    #[test]
    fn what_another_user_owns_is_refused() {
        // The system's own folder belongs to another user, except for root, who owns it.
        let foreign = match rustix::process::geteuid().is_root() {
            true => {
                let folder = tempfile::tempdir().unwrap();
                std::os::unix::fs::chown(folder.path(), Some(65_534), None).unwrap();
                folder.keep()
            }
            false => PathBuf::from("/usr"),
        };
        let text = check_folder(&foreign).unwrap_err().to_string();
        assert!(text.contains("belongs to user") && text.contains("XDG_CACHE_HOME"), "{text}");
        if foreign != Path::new("/usr") {
            fs::remove_dir_all(foreign).unwrap();
        }
    }
}

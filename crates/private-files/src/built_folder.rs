//! Folders of files that this program built once and runs again: each is used only while it is
//! exactly what was built.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::ownership::{PrivacyError, check_entry, make_folder, write_file};
use super::sweep::unfinished_folder;

/// The list of a built folder's files and their hashes.
const SEAL: &str = "built.blake3";

/// Reason why a built folder is not available.
#[derive(Debug, thiserror::Error)]
pub enum BuiltFolderError<E: Error + 'static> {
    /// The cache can't be used.
    #[error(transparent)]
    NotPrivate(#[from] PrivacyError),
    /// The build failed.
    #[error(transparent)]
    Build(E),
}

/// Returns the folder `name` of a cache, with the files that `build` makes. It is used as it is
/// where its files are this user's and have the hashes that they had when they were built; else it
/// is built again. It is built beside its place and renamed, so that it is never half. `name`
/// stands for what the files are made from.
///
/// # Errors
/// [`BuiltFolderError`].
pub fn built_folder<E: Error + 'static>(
    cache: &Path,
    name: &str,
    build: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<PathBuf, BuiltFolderError<E>> {
    make_folder(cache)?;
    let place = cache.join(name);
    if is_as_built(&place) {
        return Ok(place);
    }
    let failed = |error| BuiltFolderError::NotPrivate(PrivacyError::io("write", &place)(error));
    let work = unfinished_folder(cache).map_err(failed)?;
    let made = work.path().join("built");
    make_folder(&made)?;
    build(&made).map_err(BuiltFolderError::Build)?;
    seal(&made).map_err(failed)?;
    // Of two that build one, either's may stay. What was changed is moved out of the way.
    for former in ["changed-1", "changed-2"] {
        match fs::rename(&made, &place) {
            Ok(()) => return Ok(place),
            Err(_) if is_as_built(&place) => return Ok(place),
            Err(_) => fs::rename(&place, work.path().join(former)).map_err(failed)?,
        }
    }
    fs::rename(&made, &place).map_err(failed)?;
    Ok(place)
}

/// Takes the right to write from others, which compilers give by the user's umask, and writes the
/// list of files and hashes.
fn seal(folder: &Path) -> io::Result<()> {
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        let mode = fs::symlink_metadata(&path)?.mode() & !0o022;
        fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        }
    }
    let lines = hash_files(folder)?.into_iter().map(|(name, hash)| format!("{hash}  {name}\n"));
    write_file(&folder.join(SEAL), lines.collect::<String>().as_bytes())
}

/// Whether a folder's files are this user's, and those that were built.
fn is_as_built(folder: &Path) -> bool {
    let Ok(listed) = fs::read_to_string(folder.join(SEAL)) else { return false };
    let lines = listed.lines().filter_map(|line| line.split_once("  "));
    let listed: BTreeMap<String, String> =
        lines.map(|(hash, name)| (name.to_owned(), hash.to_owned())).collect();
    hash_files(folder).is_ok_and(|found| found == listed)
}

/// Returns the hash of each file below a folder but the list, by its path; a file or folder that is
/// not this user's alone, or is neither, is an error.
fn hash_files(folder: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        let data = fs::symlink_metadata(&path)?;
        check_entry(&path, &data).map_err(io::Error::other)?;
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        if data.is_dir() {
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        } else if !data.is_file() || name.contains('\n') {
            return Err(io::Error::other(format!("{} is no plain file", path.display())));
        } else if name != SEAL {
            found.insert(name, blake3::hash(&fs::read(&path)?).to_hex().to_string());
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// The folder, and whether it was built just now.
    fn built(cache: &Path) -> (PathBuf, bool) {
        let mut is_new = false;
        let place = built_folder(cache, "agent-1", |folder| {
            is_new = true;
            fs::create_dir(folder.join("classes"))?;
            fs::write(folder.join("classes/A.class"), "code")?;
            fs::write(folder.join("agent.jar"), "jar")?;
            // As a compiler writes under the umask 002.
            fs::set_permissions(folder.join("agent.jar"), fs::Permissions::from_mode(0o664))
        });
        (place.unwrap(), is_new)
    }

    #[test]
    fn what_was_built_is_used_again_and_what_was_changed_is_built_again() {
        let around = tempfile::tempdir().unwrap();
        let cache = around.path().join("cache");
        let (place, is_new) = built(&cache);
        assert!(is_new && !built(&cache).1);
        let jar = place.join("agent.jar");
        let change: [&dyn Fn(); 6] = [
            &|| fs::write(&jar, "other").unwrap(),
            &|| fs::write(place.join("more.jar"), "jar").unwrap(),
            &|| fs::remove_file(place.join("classes/A.class")).unwrap(),
            &|| fs::remove_file(place.join(SEAL)).unwrap(),
            &|| fs::set_permissions(&jar, fs::Permissions::from_mode(0o666)).unwrap(),
            &|| {
                fs::rename(&jar, around.path().join("moved.jar")).unwrap();
                symlink(around.path().join("moved.jar"), &jar).unwrap();
            },
        ];
        for (number, change) in change.into_iter().enumerate() {
            change();
            assert!(built(&cache).1, "change {number} was not noticed");
            assert_eq!(fs::read_to_string(&jar).unwrap(), "jar", "change {number}");
            assert!(!built(&cache).1, "built once after change {number}");
        }
        assert_eq!(fs::read_dir(&cache).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_file_in_the_place_and_a_builder_that_fails_leave_no_half_folder() {
        let cache = tempfile::tempdir().unwrap();
        let failing = built_folder(cache.path(), "agent-1", |folder| {
            fs::write(folder.join("half"), "")?;
            Err(io::Error::other("no compiler"))
        });
        assert_eq!(failing.unwrap_err().to_string(), "no compiler");
        assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 0);
        fs::write(cache.path().join("agent-1"), "in the way").unwrap();
        assert!(built(cache.path()).1);
    }

    #[test]
    fn a_cache_of_everybody_is_not_built_in() {
        let cache = tempfile::tempdir().unwrap();
        fs::set_permissions(cache.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let refused = built_folder(cache.path(), "agent-1", |_| Ok::<(), io::Error>(()));
        assert!(matches!(
            refused,
            Err(BuiltFolderError::NotPrivate(PrivacyError::Writable { .. }))
        ));
    }
}

//! Removes what processes that were killed left in the system's temporary folder.

use std::env;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, Mode, OFlags, openat};
use tempfile::TempDir;

use super::temporary_folder::{LOCK, PREFIX, private_folder_builder};

/// Age from which a process's folder without its lock is removed; a younger one may belong to a
/// process that makes it right now.
const UNLOCKED_AGE: Duration = Duration::from_secs(3600);

/// Removes the temporary folders of this user's processes that are gone, and returns their number.
/// Links are not followed, and what has another owner or another name stays.
pub fn sweep_leftovers() -> usize {
    sweep_in(&env::temp_dir())
}

fn sweep_in(parent: &Path) -> usize {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| is_process_folder_name(&entry.file_name().to_string_lossy()));
    ours.filter(|entry| remove_if_abandoned(&entry.path()).is_some()).count()
}

/// Whether a name is one that [`ProcessFolder`](crate::ProcessFolder) gives:
/// `wattline-tmp-PID-RANDOM`.
fn is_process_folder_name(name: &str) -> bool {
    let Some((process, random)) = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-'))
    else {
        return false;
    };
    let is_number = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
    is_number && random.len() == 6 && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Removes a folder of this user that no process holds locked; none where it stays.
fn remove_if_abandoned(path: &Path) -> Option<()> {
    let folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = File::from(openat(CWD, path, folder, Mode::empty()).ok()?);
    let found = folder.metadata().ok()?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return None;
    }
    // Held until the folder is gone: of two that sweep, one does it.
    let file = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match openat(&folder, LOCK, file, Mode::empty()) {
        Ok(lock) => {
            let lock = File::from(lock);
            lock.try_lock().ok()?;
            // It does not follow links, neither here nor below.
            fs::remove_dir_all(path).ok()
        }
        Err(rustix::io::Errno::NOENT) => {
            let age = SystemTime::now().duration_since(found.modified().ok()?).ok()?;
            (age > UNLOCKED_AGE).then(|| fs::remove_dir_all(path).ok())?
        }
        Err(_) => None,
    }
}

/// Prefix of the folders in which something is made that is then renamed.
const UNFINISHED: &str = "unfinished-";
/// Age from which an unfinished folder belongs to nobody: nothing takes so long to make.
const UNFINISHED_AGE: Duration = Duration::from_secs(24 * 3600);

/// Creates a folder in `parent`, for what is made in it and then renamed to its place; removed when
/// dropped. Those that killed processes left there are removed first.
///
/// # Errors
/// The system's.
pub fn unfinished_folder(parent: &Path) -> io::Result<TempDir> {
    for entry in fs::read_dir(parent)?.flatten() {
        let name = entry.file_name();
        let is_old = || {
            let found = entry.metadata().ok()?;
            let age = SystemTime::now().duration_since(found.modified().ok()?).ok()?;
            Some(found.is_dir() && age > UNFINISHED_AGE)
        };
        if name.to_string_lossy().starts_with(UNFINISHED) && is_old() == Some(true) {
            // Another process may do the same.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    private_folder_builder(UNFINISHED).tempdir_in(parent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ownership::{make_folder, write_file};
    use std::os::unix::fs::symlink;

    /// What a process with this number left, with a file in it.
    fn leave(parent: &Path, name: &str) -> std::path::PathBuf {
        let folder = parent.join(name);
        make_folder(&folder.join("agent-abcdef")).unwrap();
        write_file(&folder.join(LOCK), b"").unwrap();
        write_file(&folder.join("agent-abcdef/Secret.java"), b"class Secret {}").unwrap();
        folder
    }

    #[test]
    fn what_a_dead_process_left_is_removed_and_what_a_living_one_holds_stays() {
        let parent = tempfile::tempdir().unwrap();
        let (dead, alive) = (
            leave(parent.path(), "wattline-tmp-12-abCD12"),
            leave(parent.path(), "wattline-tmp-13-abCD13"),
        );
        let lock = File::open(alive.join(LOCK)).unwrap();
        lock.try_lock().unwrap();
        assert_eq!(sweep_in(parent.path()), 1);
        assert!(!dead.exists() && alive.join("agent-abcdef/Secret.java").exists());
        drop(lock);
        assert_eq!(sweep_in(parent.path()), 1);
        assert!(!alive.exists());
    }

    #[test]
    fn nothing_else_is_touched_and_no_link_is_followed() {
        let (parent, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let kept = leave(outside.path(), "wattline-tmp-14-abCD14");
        for name in ["wattline-results", "wattline-tmp-x-abCD12", "wattline-tmp-1-abc"] {
            leave(parent.path(), name);
        }
        symlink(&kept, parent.path().join("wattline-tmp-15-abCD15")).unwrap();
        let links = leave(parent.path(), "wattline-tmp-16-abCD16");
        symlink(&kept, links.join("link")).unwrap();
        // Whose lock is a link, or is not there yet.
        let linked = leave(parent.path(), "wattline-tmp-17-abCD17");
        fs::remove_file(linked.join(LOCK)).unwrap();
        symlink(kept.join(LOCK), linked.join(LOCK)).unwrap();
        let young = leave(parent.path(), "wattline-tmp-18-abCD18");
        fs::remove_file(young.join(LOCK)).unwrap();
        assert_eq!(sweep_in(parent.path()), 1, "the one with links in it");
        assert!(!links.exists() && kept.join("agent-abcdef/Secret.java").exists());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 6);
    }

    #[test]
    fn what_was_not_finished_goes_after_a_day() {
        let parent = tempfile::tempdir().unwrap();
        let [old, young, other] = ["unfinished-aaaaaa", "unfinished-bbbbbb", "agent-cccccc"]
            .map(|name| leave(parent.path(), name));
        let before = SystemTime::now() - UNFINISHED_AGE - Duration::from_secs(60);
        for folder in [&old, &other] {
            File::open(folder).unwrap().set_modified(before).unwrap();
        }
        let made = unfinished_folder(parent.path()).unwrap();
        assert_eq!(fs::metadata(made.path()).unwrap().mode() & 0o777, 0o700);
        assert!(!old.exists() && young.exists() && other.exists());
    }

    #[test]
    fn names_are_those_of_process_folders_alone() {
        assert!(is_process_folder_name("wattline-tmp-123-aB3dE6"));
        for other in ["", "wattline-tmp--aB3dE6", "wattline-tmp-1", "wattline-1-aB3dE6"] {
            assert!(!is_process_folder_name(other), "{other}");
        }
    }
}

//! User that the processes of a board run as. A board of an ordinary user is that user's; one that
//! a superuser starts runs as a user of its own, with a number that no other user has and no files
//! on this machine but the board's folders.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::jail::host_program;

/// First user number that no Linux system assigns (systemd's list of user and group numbers calls
/// the range from here to 2^31 unused).
const UNUSED_USERS_START: u32 = 1_879_048_192;

/// First unassigned user number for name spaces of users, which have at most the numbers up to
/// 2^16, and the count of them.
const UNUSED_SMALL_USERS_START: u32 = 60_578;
const UNUSED_SMALL_USERS_COUNT: u32 = 606;

/// User that the processes of a board run as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BoardUser {
    /// Number of a user of the board's own; `None` where it is the user who started the board.
    own: Option<u32>,
}

impl BoardUser {
    /// User for a board that this process starts.
    pub(super) fn find() -> Self {
        let is_super = rustix::process::geteuid().is_root();
        let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
        Self { own: is_super.then(|| unused_number(&map, std::process::id())).flatten() }
    }

    /// User number, where it is another one than of the user who started the board.
    pub(super) fn own_number(self) -> Option<u32> {
        self.own
    }

    /// Whether the user is another one than who started the board.
    pub(super) fn is_other(self) -> bool {
        self.own.is_some()
    }

    /// Whether a process with this user number belongs to the board or its host.
    pub(super) fn owns_process_of(self, uid: u32) -> bool {
        uid == rustix::process::geteuid().as_raw() || Some(uid) == self.own
    }

    /// Words before a command that run it as this user, without any privileges; none for the same
    /// user.
    pub(super) fn setpriv_arguments(self) -> Vec<OsString> {
        let Some(uid) = self.own else { return Vec::new() };
        let mut words = vec![host_program("setpriv").into_os_string()];
        words.extend([format!("--reuid={uid}"), format!("--regid={uid}")].map(OsString::from));
        let options =
            ["--clear-groups", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"];
        words.extend(options.map(OsString::from));
        words
    }

    /// Command that runs another one, with its arguments and environment, as this user.
    pub(super) fn as_user(self, command: Command) -> Command {
        let words = self.setpriv_arguments();
        let Some((setpriv, options)) = words.split_first() else { return command };
        let mut other = Command::new(setpriv);
        other.args(options).arg("--").arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => other.env(name, value),
                None => other.env_remove(name),
            };
        }
        other
    }

    /// Options of `chroot` for this user.
    pub(super) fn chroot_arguments(self) -> Vec<String> {
        let of = |uid| vec![format!("--userspec={uid}:{uid}"), "--groups=".to_owned()];
        self.own.map_or_else(Vec::new, of)
    }

    /// Makes this user the owner of a file or folder.
    pub(super) fn take_ownership(self, path: &Path) -> io::Result<()> {
        self.own.map_or(Ok(()), |uid| lchown(path, Some(uid), Some(uid)))
    }

    /// Makes this user the owner of a folder and its contents.
    pub(super) fn take_ownership_of_all(self, folder: &Path) -> io::Result<()> {
        if !self.is_other() {
            return Ok(());
        }
        self.take_ownership(folder)?;
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => self.take_ownership_of_all(&entry.path())?,
                false => self.take_ownership(&entry.path())?,
            }
        }
        Ok(())
    }

    /// Lets this user read a folder, which stays the owner's.
    pub(super) fn grant_read(self, folder: &Path) -> io::Result<()> {
        self.open_to_group(folder, 0o750)
    }

    /// Gives a folder this user's group and a mode.
    fn open_to_group(self, folder: &Path, mode: u32) -> io::Result<()> {
        let Some(uid) = self.own else { return Ok(()) };
        lchown(folder, None, Some(uid))?;
        fs::set_permissions(folder, fs::Permissions::from_mode(mode))
    }

    /// Folder for temporary files, or, where this user cannot enter it, one that is open to
    /// everybody. A folder that this program made for all its temporary files is opened to this
    /// user, who can pass through it and not list it: it is removed however the program ends.
    pub(super) fn temporary_folder(self) -> PathBuf {
        let (chosen, systems) = (tempfile::env::temp_dir(), std::env::temp_dir());
        if !self.is_other() {
            return chosen;
        }
        let is_ours = chosen != systems && chosen.parent().is_some_and(is_reachable_by_all);
        if is_ours && self.open_to_group(&chosen, 0o710).is_ok() {
            return chosen;
        }
        let others = [systems, "/tmp".into(), "/var/tmp".into()];
        others.into_iter().find(|folder| is_reachable_by_all(folder)).unwrap_or(chosen)
    }
}

/// Whether every user can enter a folder or reach a file.
pub(super) fn is_reachable_by_all(path: &Path) -> bool {
    const OTHERS_ENTER: u32 = 0o001;
    let enters = |at: &Path| fs::metadata(at).is_ok_and(|data| data.mode() & OTHERS_ENTER != 0);
    path.canonicalize().is_ok_and(|path| path.ancestors().all(enters))
}

/// User number that no other user has and this name space of users contains; `None` where it has
/// too few to spare one: its superuser is then an ordinary user outside.
fn unused_number(map: &str, pid: u32) -> Option<u32> {
    let candidates =
        [UNUSED_USERS_START + pid, UNUSED_SMALL_USERS_START + pid % UNUSED_SMALL_USERS_COUNT];
    candidates.into_iter().find(|uid| is_mapped(map, *uid))
}

/// Whether a user number is in a map of user_namespaces(7): first number inside, first number
/// outside, count.
fn is_mapped(map: &str, uid: u32) -> bool {
    map.lines().any(|line| {
        let mut numbers = line.split_whitespace().map(|word| word.parse::<u64>().ok());
        let (Some(Some(first)), _, Some(Some(count))) =
            (numbers.next(), numbers.next(), numbers.next())
        else {
            return false;
        };
        (first..first.saturating_add(count)).contains(&u64::from(uid))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_nobodys_and_in_the_map() {
        let whole = "         0          0 4294967295\n";
        assert_eq!(unused_number(whole, 77), Some(UNUSED_USERS_START + 77));
        let container = "0 100000 65536\n";
        assert_eq!(unused_number(container, 607), Some(UNUSED_SMALL_USERS_START + 1));
        assert_eq!(unused_number("0 1000 1\n", 7), None, "its superuser is an ordinary user");
        assert_eq!(unused_number("", 7), None);
    }

    #[test]
    fn folders_that_only_their_owner_enters_are_told() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_reachable_by_all(&folder.path().join("x")), "it is not there");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert!(!is_reachable_by_all(folder.path()));
        assert!(is_reachable_by_all(Path::new("/usr/bin")));
    }

    #[test]
    fn a_superusers_board_is_a_user_of_its_own() {
        let user = BoardUser { own: Some(UNUSED_USERS_START) };
        assert!(
            user.is_other()
                && user.owns_process_of(UNUSED_USERS_START)
                && !user.owns_process_of(UNUSED_USERS_START + 1)
        );
        assert!(user.setpriv_arguments().iter().any(|word| word == "--reuid=1879048192"));
        let ordinary = BoardUser { own: None };
        assert!(ordinary.setpriv_arguments().is_empty() && ordinary.chroot_arguments().is_empty());
    }
}

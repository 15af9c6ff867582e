//! Detection of JVM processes that can be asked to load an agent. The request is SIGQUIT, which
//! ends any program without a handler, so a process is only asked when all checks pass.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::attribution::monitor::sensors::parse_process;
use crate::power::machine_load::TICKS_PER_S;

/// File name of the JVM's library in a memory map.
const LIBRARY: &[u8] = b"/libjvm.so";

/// Prefix of the folder with a user's JVM counters, one file per process id.
const COUNTERS: &str = "hsperfdata_";

/// Allowance for file times, whose clock is coarser than that of processes.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(2);

/// Reason why a process is not asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum JvmCheckError {
    /// The signal would end the process.
    #[error(
        "it does not catch SIGQUIT, by which a JVM is asked and any other program ends: it is no \
         JVM, one that starts just now, or one with -Xrs"
    )]
    Uncaught,
    /// The process has not mapped a JVM library.
    #[error("it is no JVM: it has not loaded libjvm.so")]
    NoLibrary,
    /// Neither memory map nor counters of the process can be read.
    #[error(
        "its memory map can't be read, and no /tmp/hsperfdata_USER of its user has a file of its \
         number, so that it may be no JVM"
    )]
    Unknown,
}

/// Checks that a process is a JVM with a handler for SIGQUIT.
///
/// # Errors
/// The first failed check.
pub(crate) fn check_jvm(pid: u32) -> Result<(), JvmCheckError> {
    check(&PathBuf::from(format!("/proc/{pid}")), Path::new("/"))
}

/// Checks the `/proc` folder of a process; `root` is the root of the file system with the JVM
/// counters.
fn check(process: &Path, root: &Path) -> Result<(), JvmCheckError> {
    let status = fs::read_to_string(process.join("status")).unwrap_or_default();
    if !catches_quit(&status) {
        return Err(JvmCheckError::Uncaught);
    }
    let maps = fs::read(process.join("maps")).unwrap_or_default();
    if !maps.is_empty() {
        let has_library = maps.windows(LIBRARY.len()).any(|window| window == LIBRARY);
        return if has_library { Ok(()) } else { Err(JvmCheckError::NoLibrary) };
    }
    if has_counters(process, &status, root) { Ok(()) } else { Err(JvmCheckError::Unknown) }
}

/// The value of a field of `/proc/PID/status`.
fn field<'s>(status: &'s str, name: &str) -> Option<&'s str> {
    status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
}

/// Whether the process catches SIGQUIT, from the text of `/proc/PID/status`.
fn catches_quit(status: &str) -> bool {
    const QUIT: u64 = 1 << 2;
    let caught = field(status, "SigCgt").and_then(|mask| u64::from_str_radix(mask, 16).ok());
    caught.is_some_and(|mask| mask & QUIT != 0)
}

/// Whether the process's user has JVM counters with its number that are no older than the process;
/// older counters belong to an earlier process.
fn has_counters(process: &Path, status: &str, root: &Path) -> bool {
    let number = |name, last: bool| {
        let mut words = field(status, name)?.split_ascii_whitespace();
        let word = if last { words.next_back() } else { words.nth(1) };
        word?.parse::<u32>().ok()
    };
    // In a container it has another number, and another root.
    let (Some(user), Some(pid)) = (number("Uid", false), number("NSpid", true)) else {
        return false;
    };
    let Some(start_time) = start_time(process, root) else { return false };
    let own = process.join("root/tmp");
    let folders = [own, root.join("tmp")].map(|folder| fs::read_dir(folder).into_iter());
    let mut folders = folders.into_iter().flatten().flatten().flatten();
    folders.any(|folder| {
        let is_named = folder.file_name().to_string_lossy().starts_with(COUNTERS);
        let file = folder.path().join(pid.to_string());
        let owns = |path: &Path| fs::symlink_metadata(path).ok().filter(|it| it.uid() == user);
        let is_folder = is_named && owns(&folder.path()).is_some_and(|it| it.is_dir());
        let file = owns(&file).filter(|it| is_folder && it.is_file());
        let written = file.and_then(|it| it.modified().ok());
        written.is_some_and(|at| at + CLOCK_TOLERANCE >= start_time)
    })
}

/// The start time of a process.
fn start_time(process: &Path, root: &Path) -> Option<SystemTime> {
    let stat = fs::read_to_string(process.join("stat")).ok()?;
    let ticks = parse_process(&stat)?.0.start_ticks;
    let uptime = fs::read_to_string(root.join("proc/uptime")).ok()?;
    let uptime: f64 = uptime.split_ascii_whitespace().next()?.parse().ok()?;
    let age = uptime - ticks as f64 / TICKS_PER_S;
    SystemTime::now().checked_sub(Duration::try_from_secs_f64(age.max(0.0)).ok()?)
}

/// The nearest process that is a JVM and can be asked, among `process` and its descendants.
pub fn find_jvm(process: u32) -> Option<u32> {
    let mut waiting = VecDeque::from([process]);
    while let Some(pid) = waiting.pop_front() {
        if check_jvm(pid).is_ok() {
            return Some(pid);
        }
        waiting.extend(children(pid));
    }
    None
}

fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split(' ').filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn only_a_jvm_is_asked_to_let_an_agent_in() {
        let mut child = Command::new("sleep").arg("9").spawn().unwrap();
        assert!(children(std::process::id()).contains(&child.id()));
        assert_eq!(check_jvm(child.id()), Err(JvmCheckError::Uncaught));
        // Of this process itself nothing is known: a test beside this one may have a JVM.
        assert_eq!(find_jvm(child.id()), None);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// A process by its files: caught signals, memory map, and counters in `/tmp`.
    struct Files(tempfile::TempDir);

    impl Files {
        fn new(caught: &str, maps: Option<&str>) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let user = rustix::process::geteuid().as_raw();
            let write = |path: &str, text: &str| {
                let path = folder.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            };
            let uid = format!("{user}\t{user}\t{user}\t{user}");
            let status = format!("Name:\tx\nUid:\t{uid}\nNSpid:\t77\t5\nSigCgt:\t{caught}\n");
            write("proc/77/status", &status);
            maps.into_iter().for_each(|maps| write("proc/77/maps", maps));
            let fields = vec!["0"; 18].join(" ");
            // It runs since a minute.
            write("proc/uptime", "1060.0 9.0\n");
            write("proc/77/stat", &format!("77 (a) b) S {fields} 100000 0\n"));
            write("tmp/other/5", "");
            Self(folder)
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn check(&self) -> Result<(), JvmCheckError> {
            check(&self.path("proc/77"), self.0.path())
        }

        fn with_counters(self, folder: &str, age_s: u64) -> Self {
            fs::create_dir_all(self.path(folder)).unwrap();
            let file = fs::File::create(self.path(folder).join("5")).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age_s)).unwrap();
            self
        }
    }

    const QUIT: &str = "0000000181005ccf";
    const NONE: &str = "0000000000000000";
    const JVM: &str = "7f00-7f01 r-xp 0 0:0 1 /usr/lib/jvm/lib/server/libjvm.so\n";

    #[test]
    fn a_signal_that_is_not_caught_is_not_sent_whatever_else_speaks_for_a_jvm() {
        assert_eq!(Files::new(QUIT, Some(JVM)).check(), Ok(()));
        let rest = Files::new(NONE, Some(JVM)).with_counters("tmp/hsperfdata_a", 9);
        assert_eq!(rest.check(), Err(JvmCheckError::Uncaught));
        assert_eq!(Files::new(QUIT, Some("7f00 /bin/go\n")).check(), Err(JvmCheckError::NoLibrary));
    }

    #[test]
    fn a_process_whose_maps_are_closed_is_a_jvm_by_its_own_counters_alone() {
        let closed = || Files::new(QUIT, None);
        assert_eq!(closed().check(), Err(JvmCheckError::Unknown));
        assert_eq!(closed().with_counters("tmp/hsperfdata_a", 9).check(), Ok(()));
        assert_eq!(closed().with_counters("proc/77/root/tmp/hsperfdata_a", 9).check(), Ok(()));
        let older = closed().with_counters("tmp/hsperfdata_a", 600);
        assert_eq!(older.check(), Err(JvmCheckError::Unknown), "of an earlier process");
        let link = closed();
        std::os::unix::fs::symlink(link.path("tmp/other"), link.path("tmp/hsperfdata_a")).unwrap();
        assert_eq!(link.check(), Err(JvmCheckError::Unknown));
    }
}

//! What can be seen of one process in `/proc`: whether it waits, and for what.
//!
//! `syscall` tells which call a process waits in; while a processor that idled is still on
//! its way to a process that has been woken, only its state in `stat` says that it waits no
//! longer, and only `schedstat` whether it has run since.
//!
//! `stat` is open to everybody, so it alone says whether a process has ended. The others
//! are closed to an ordinary user while a process ends, changes its name space or starts a
//! program; such a process is busy. Under Yama (proc_sys_kernel_yama(5)) `syscall` is closed
//! for good, of processes that are not descendants or of all: `wchan`, the place in the
//! kernel at which a process waits, then tells enough.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry, File};
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::process::test_kill_process;

use super::signals::raw_pid;

/// Numbers of the system calls in which a process waits for its children.
#[cfg(target_arch = "x86_64")]
const WAITS: [u64; 4] = [34, 61, 130, 247]; // pause, wait4, rt_sigsuspend, waitid
#[cfg(not(target_arch = "x86_64"))]
const WAITS: [u64; 4] = [95, 133, 260, 260]; // waitid, rt_sigsuspend, wait4 of the generic table

/// Number of the `read` system call.
#[cfg(target_arch = "x86_64")]
const READ: u64 = 0;
#[cfg(not(target_arch = "x86_64"))]
const READ: u64 = 63;

/// The kernel's functions in which a process waits for its children.
const WAITING_PLACES: [&str; 2] = ["do_wait", "sigsuspend"];

/// The kernel's functions in which a process waits for a pipe's writer, of all versions.
const READING_PLACES: [&str; 2] = ["pipe_read", "anon_pipe_read"];

/// What a process does.
pub(super) enum ProcState {
    /// Nothing, for ever; its parent may not have asked for it yet.
    Ended,
    /// It computes, waits for a host, or can't be looked into.
    Busy,
    /// It waits for its children or for another process of the board.
    Waits(WaitSnapshot),
}

/// What a process waits in, and how often it had run.
#[derive(PartialEq, Eq)]
pub(super) struct WaitSnapshot {
    call: WaitCall,
    runs: String,
}

/// What a process does now. Pipes of hosts are those by whose inodes hosts write.
pub(super) fn look_at(pid: u32, host_pipes: &BTreeSet<u64>) -> ProcState {
    let runs = read(pid, "schedstat").or_else(|_| read(pid, "status"));
    let call = WaitCall::of(pid);
    // Last, since a process that is woken after the other looks may still seem to wait.
    match (SchedulerState::of(pid), runs, call) {
        (SchedulerState::Ended, ..) => ProcState::Ended,
        (SchedulerState::Sleeps, Ok(runs), Ok(call)) if call.waits(pid, host_pipes) => {
            ProcState::Waits(WaitSnapshot { call, runs })
        }
        _ => ProcState::Busy,
    }
}

/// Whether a process runs or is about to. One that does not may still be busy.
pub(super) fn computes(pid: u32) -> bool {
    matches!(SchedulerState::of(pid), SchedulerState::Other)
}

/// Whether a process has not ended.
pub(super) fn lives(pid: u32) -> bool {
    !matches!(SchedulerState::of(pid), SchedulerState::Ended)
}

/// Whether nothing says what a living process waits for.
pub(super) fn is_closed(pid: u32) -> bool {
    let call = WaitCall::of(pid).is_ok_and(|call| call.is_told());
    !call && lives(pid)
}

/// Start of a living process in ticks since the host's boot.
pub(super) fn start_time(pid: u32) -> Option<u64> {
    let stat = read(pid, "stat").ok()?;
    if SchedulerState::of_line(&stat) == SchedulerState::Ended {
        return None;
    }
    // Field 22 of the line is the twentieth from the state on.
    fields(&stat)?.nth(19)?.parse().ok()
}

/// The children of a process, by the kernel's list or, where it keeps none, by asking
/// all processes for their parents.
pub(super) fn children(pid: u32) -> Vec<u32> {
    match read(pid, &format!("task/{pid}/children")) {
        Ok(text) => text.split_whitespace().filter_map(|word| word.parse().ok()).collect(),
        Err(_) if Path::new("/proc/thread-self/children").exists() => Vec::new(),
        Err(_) => children_by_parents(pid),
    }
}

/// The living children of a process, by asking all processes for their parents.
pub fn children_by_parents(parent: u32) -> Vec<u32> {
    let is_child = |pid: &u32| {
        let stat = read(*pid, "stat").unwrap_or_default();
        SchedulerState::of_line(&stat) != SchedulerState::Ended
            && fields(&stat).and_then(|mut fields| fields.nth(1)?.parse().ok()) == Some(parent)
    };
    let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(is_child).collect()
}

/// The number of a process in the innermost of its name spaces, where it may be another one
/// than here.
pub(super) fn innermost_number(pid: u32) -> Option<u32> {
    let status = read(pid, "status").ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("NSpid:"))?
        .split_whitespace()
        .last()?
        .parse()
        .ok()
}

/// The parent of a process.
pub(super) fn parent(pid: u32) -> Option<u32> {
    fields(&read(pid, "stat").ok()?)?.nth(1)?.parse().ok()
}

/// The state of a process, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SchedulerState {
    Ended,
    Sleeps,
    /// It runs, is about to, or is hidden from this user.
    Other,
}

impl SchedulerState {
    fn of(pid: u32) -> SchedulerState {
        match read(pid, "stat") {
            Ok(line) => SchedulerState::of_line(&line),
            Err(error) if is_gone(&error) && !is_there(pid) => SchedulerState::Ended,
            Err(_) => SchedulerState::Other,
        }
    }

    /// By the letter in the line of `stat`.
    fn of_line(line: &str) -> SchedulerState {
        match fields(line).and_then(|mut fields| fields.next()) {
            Some("Z" | "X") => SchedulerState::Ended,
            Some("S") => SchedulerState::Sleeps,
            _ => SchedulerState::Other,
        }
    }
}

/// The fields of the line of `stat` from the third, the state; the second may hold spaces.
fn fields(stat: &str) -> Option<std::str::Split<'_, char>> {
    Some(stat.rsplit_once(") ")?.1.split(' '))
}

/// What a process waits in.
#[derive(Debug, PartialEq, Eq)]
enum WaitCall {
    /// The number and arguments of the system call.
    Number(String),
    /// The kernel's function.
    Place(String),
}

impl WaitCall {
    fn of(pid: u32) -> io::Result<WaitCall> {
        let number = read(pid, "syscall").map(WaitCall::Number);
        number.or_else(|_| read(pid, "wchan").map(WaitCall::Place))
    }

    /// Whether it says anything: to who may not see it, the kernel shows a zero as the place.
    fn is_told(&self) -> bool {
        !matches!(self, WaitCall::Place(place) if place == "0")
    }

    fn waits(&self, pid: u32, host_pipes: &BTreeSet<u64>) -> bool {
        match self {
            WaitCall::Number(text) => waits_in_call(text, pid, host_pipes),
            WaitCall::Place(place) => waits_at(place, pid, host_pipes),
        }
    }
}

fn waits_in_call(text: &str, pid: u32, host_pipes: &BTreeSet<u64>) -> bool {
    let mut words = text.split_whitespace();
    let Some(Ok(number)) = words.next().map(str::parse::<u64>) else { return false };
    if WAITS.contains(&number) {
        return true;
    }
    let descriptor = words.next().and_then(|word| word.strip_prefix("0x"));
    let descriptor = descriptor.and_then(|word| u64::from_str_radix(word, 16).ok());
    number == READ
        && descriptor
            .and_then(|number| pipe_behind(&folder(pid).join(format!("fd/{number}"))))
            .is_some_and(|pipe| !host_pipes.contains(&pipe))
}

/// Which of its pipes a process reads is not told. A shell opens one of its own (for the
/// output of a command) only to read it at once, so whoever has such a pipe reads that.
fn waits_at(place: &str, pid: u32, host_pipes: &BTreeSet<u64>) -> bool {
    // What follows a dot is the compiler's (`sigsuspend.isra.0`).
    let place = place.split('.').next().unwrap_or_default();
    let own_pipe = |entry: &DirEntry| {
        is_open_for_reading(entry)
            && pipe_behind(&entry.path()).is_some_and(|pipe| !host_pipes.contains(&pipe))
    };
    let mut open = fs::read_dir(folder(pid).join("fd")).into_iter().flatten().flatten();
    WAITING_PLACES.contains(&place)
        || READING_PLACES.contains(&place) && open.any(|entry| own_pipe(&entry))
}

/// The modes of the links in the folder of descriptors say how these were opened.
fn is_open_for_reading(descriptor: &DirEntry) -> bool {
    descriptor.metadata().is_ok_and(|link| link.permissions().mode() & 0o400 != 0)
}

/// The inode of the pipe behind a descriptor.
fn pipe_behind(descriptor: &Path) -> Option<u64> {
    let link = fs::read_link(descriptor).ok()?;
    link.to_str()?.strip_prefix("pipe:[")?.strip_suffix(']')?.parse().ok()
}

fn folder(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}

/// What a file of a process says. These files have no length that is known before; with room
/// for all of it a few reads do, and the clock looks at many thousands.
fn read(pid: u32, name: &str) -> io::Result<String> {
    let mut text = String::with_capacity(4096);
    File::open(folder(pid).join(name))?.read_to_string(&mut text)?;
    Ok(text)
}

/// What the kernel answers of a process that is not, or no longer, there.
fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || Errno::from_io_error(error) == Some(Errno::SRCH)
}

/// Whether a process is there although `/proc` hides it (`hidepid`).
fn is_there(pid: u32) -> bool {
    raw_pid(pid).is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    fn shell(script: &str) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
    }

    fn end(mut child: Child) {
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    fn host_pipe(child: &Child) -> BTreeSet<u64> {
        use std::os::fd::AsFd;
        let stdin = child.stdin.as_ref().unwrap();
        BTreeSet::from([rustix::fs::fstat(stdin.as_fd()).unwrap().st_ino])
    }

    fn comes_true(mut condition: impl FnMut() -> bool) -> bool {
        (0..2000).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            condition()
        })
    }

    /// Where the call is closed to this user, the place in the kernel says the same.
    fn both_say(pid: u32, host_pipes: &BTreeSet<u64>, waits: bool) {
        let sleeps = || SchedulerState::of(pid) == SchedulerState::Sleeps;
        let call = || WaitCall::Number(read(pid, "syscall").unwrap()).waits(pid, host_pipes);
        let place = || WaitCall::Place(read(pid, "wchan").unwrap()).waits(pid, host_pipes);
        assert!(comes_true(|| sleeps() && call() == waits && place() == waits), "{waits}");
    }

    #[test]
    fn who_waits_for_a_child_waits() {
        let parent = shell("cat; true");
        assert!(comes_true(|| !children(parent.id()).is_empty()));
        both_say(parent.id(), &host_pipe(&parent), true);
        assert_eq!(children(parent.id()), children_by_parents(parent.id()));
        end(parent);
    }

    #[test]
    fn who_reads_from_another_waits_and_who_reads_from_a_host_does_not() {
        let reader = shell("word=$(cat; true); true");
        let pipes = host_pipe(&reader);
        assert!(comes_true(|| !children(reader.id()).is_empty()));
        both_say(reader.id(), &pipes, true);
        end(reader);
        let reader = shell("read -r word");
        both_say(reader.id(), &host_pipe(&reader), false);
        end(reader);
    }

    #[test]
    fn only_who_is_gone_or_a_zombie_has_ended() {
        let mut child = shell("exit 0");
        assert!(comes_true(|| matches!(look_at(child.id(), &BTreeSet::new()), ProcState::Ended)));
        assert!(!lives(child.id()), "its parent has not asked for it yet");
        child.wait().unwrap();
        assert!(!lives(child.id()));
        assert!(lives(1), "which an ordinary user may not look into");
    }

    #[test]
    fn who_may_not_be_looked_into_has_not_ended() {
        let states = ["1 (a b) R 0 1", "1 (a) b) S 0", "1 (a) Z 0", "1 (a) D 0", ""];
        let expected = [
            SchedulerState::Other,
            SchedulerState::Sleeps,
            SchedulerState::Ended,
            SchedulerState::Other,
            SchedulerState::Other,
        ];
        assert_eq!(states.map(SchedulerState::of_line), expected);
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        assert!(!is_gone(&denied) && is_gone(&io::Error::from(Errno::SRCH)));
        assert!(!WaitCall::Place("0".into()).is_told());
        assert!(!WaitCall::Place("0".into()).waits(1, &BTreeSet::new()));
        assert!(WaitCall::Place("sigsuspend.isra.0".into()).waits(1, &BTreeSet::new()));
    }
}

//! State of a process from `/proc`: whether it waits, and for what.
//!
//! `syscall` shows the call that a process waits in; while a processor that idled is still on
//! its way to a process that has been woken, only its state in `stat` shows that it waits no
//! longer, and only `schedstat` whether it has run since.
//!
//! `stat` is open to everybody, so it alone shows whether a process has ended. The others
//! are closed to an ordinary user while a process ends, changes its name space or starts a
//! program; such a process is busy. Under Yama (proc_sys_kernel_yama(5)) `syscall` is closed
//! for good, of processes that are not descendants or of all: `wchan`, the place in the
//! kernel at which a process waits, then suffices.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry, File};
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::process::test_kill_process;

use super::signals::kernel_pid;

/// Numbers of the system calls in which a process waits for its children.
#[cfg(target_arch = "x86_64")]
const CHILD_WAIT_CALLS: [u64; 4] = [34, 61, 130, 247]; // pause, wait4, rt_sigsuspend, waitid
#[cfg(not(target_arch = "x86_64"))]
const CHILD_WAIT_CALLS: [u64; 4] = [95, 133, 260, 260]; // waitid, rt_sigsuspend, wait4 of the generic table

/// Number of the `read` system call.
#[cfg(target_arch = "x86_64")]
const READ_CALL: u64 = 0;
#[cfg(not(target_arch = "x86_64"))]
const READ_CALL: u64 = 63;

/// Kernel functions in which a process waits for its children.
const CHILD_WAIT_FUNCTIONS: [&str; 2] = ["do_wait", "sigsuspend"];

/// Kernel functions in which a process waits for a pipe's writer, of all versions.
const PIPE_READ_FUNCTIONS: [&str; 2] = ["pipe_read", "anon_pipe_read"];

/// State of a process of the board: ended, busy or waiting.
pub(super) enum ProcState {
    /// The process has ended; its parent may not have collected it yet.
    Ended,
    /// The process computes, waits for a host, or cannot be observed.
    Busy,
    /// The process waits for its children or for another process of the board.
    Waits(WaitSnapshot),
}

/// System call in which a process waits, and how often it had run.
#[derive(PartialEq, Eq)]
pub(super) struct WaitSnapshot {
    call: WaitCall,
    runs: String,
}

/// Reads the state of a process from `/proc`; `host_pipes` are the inodes of pipes that hosts write
/// to.
pub(super) fn read_state(pid: u32, host_pipes: &BTreeSet<u64>) -> ProcState {
    let runs = read_proc_file(pid, "schedstat").or_else(|_| read_proc_file(pid, "status"));
    let call = WaitCall::of(pid);
    // Last, since a process that is woken after the other looks may still seem to wait.
    match (SchedulerState::of(pid), runs, call) {
        (SchedulerState::Ended, ..) => ProcState::Ended,
        (SchedulerState::Sleeps, Ok(runs), Ok(call)) if call.is_for_board(pid, host_pipes) => {
            ProcState::Waits(WaitSnapshot { call, runs })
        }
        _ => ProcState::Busy,
    }
}

/// Whether a process runs or is about to. One that does not may still be busy.
pub(super) fn is_computing(pid: u32) -> bool {
    matches!(SchedulerState::of(pid), SchedulerState::Other)
}

/// Whether a process has not ended.
pub(super) fn is_alive(pid: u32) -> bool {
    !matches!(SchedulerState::of(pid), SchedulerState::Ended)
}

/// Whether `/proc` hides what a living process waits for.
pub(super) fn hides_wait_call(pid: u32) -> bool {
    let call = WaitCall::of(pid).is_ok_and(|call| call.is_shown());
    !call && is_alive(pid)
}

/// Start time of a living process in ticks since the host's boot.
pub(super) fn start_time(pid: u32) -> Option<u64> {
    let stat = read_proc_file(pid, "stat").ok()?;
    if SchedulerState::of_line(&stat) == SchedulerState::Ended {
        return None;
    }
    // Field 22 of the line is the twentieth from the state on.
    fields(&stat)?.nth(19)?.parse().ok()
}

/// Process numbers of the children of a process, from the kernel's list or, where there is none,
/// from the parents of all processes.
pub(super) fn child_processes(pid: u32) -> Vec<u32> {
    match read_proc_file(pid, &format!("task/{pid}/children")) {
        Ok(text) => text.split_whitespace().filter_map(|word| word.parse().ok()).collect(),
        Err(_) if Path::new("/proc/thread-self/children").exists() => Vec::new(),
        Err(_) => children_by_parents(pid),
    }
}

/// Process numbers of the living children of a process, found by the parents of all processes.
pub fn children_by_parents(parent: u32) -> Vec<u32> {
    let is_child = |pid: &u32| {
        let stat = read_proc_file(*pid, "stat").unwrap_or_default();
        SchedulerState::of_line(&stat) != SchedulerState::Ended
            && fields(&stat).and_then(|mut fields| fields.nth(1)?.parse().ok()) == Some(parent)
    };
    let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(is_child).collect()
}

/// Process number in the innermost of the process's name spaces, where it may differ from the one
/// here.
pub(super) fn innermost_number(pid: u32) -> Option<u32> {
    let status = read_proc_file(pid, "status").ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("NSpid:"))?
        .split_whitespace()
        .last()?
        .parse()
        .ok()
}

/// Process number of a process's parent.
pub(super) fn parent_process(pid: u32) -> Option<u32> {
    fields(&read_proc_file(pid, "stat").ok()?)?.nth(1)?.parse().ok()
}

/// Scheduler state of a process, as far as it matters for the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SchedulerState {
    Ended,
    Sleeps,
    /// Running, about to run, or hidden from this user.
    Other,
}

impl SchedulerState {
    /// Scheduler state of a process.
    fn of(pid: u32) -> SchedulerState {
        match read_proc_file(pid, "stat") {
            Ok(line) => SchedulerState::of_line(&line),
            Err(error) if is_gone(&error) && !exists(pid) => SchedulerState::Ended,
            Err(_) => SchedulerState::Other,
        }
    }

    /// State from the letter in the line of `stat`.
    fn of_line(line: &str) -> SchedulerState {
        match fields(line).and_then(|mut fields| fields.next()) {
            Some("Z" | "X") => SchedulerState::Ended,
            Some("S") => SchedulerState::Sleeps,
            _ => SchedulerState::Other,
        }
    }
}

/// Fields of the line of `stat` from the third, the state; the second may contain spaces.
fn fields(stat: &str) -> Option<std::str::Split<'_, char>> {
    Some(stat.rsplit_once(") ")?.1.split(' '))
}

/// System call or kernel function in which a process waits.
#[derive(Debug, PartialEq, Eq)]
enum WaitCall {
    /// Number and arguments of the system call.
    Number(String),
    /// Name of the kernel function.
    Place(String),
}

impl WaitCall {
    /// Reads the system call, or the kernel function if that is hidden.
    fn of(pid: u32) -> io::Result<WaitCall> {
        let number = read_proc_file(pid, "syscall").map(WaitCall::Number);
        number.or_else(|_| read_proc_file(pid, "wchan").map(WaitCall::Place))
    }

    /// Whether the kernel shows the call: it shows a zero as the function to a user who may not see
    /// it.
    fn is_shown(&self) -> bool {
        !matches!(self, WaitCall::Place(place) if place == "0")
    }

    /// Whether the process waits in it for its children or a pipe that no host writes to.
    fn is_for_board(&self, pid: u32, host_pipes: &BTreeSet<u64>) -> bool {
        match self {
            WaitCall::Number(text) => waits_for_board_in_call(text, pid, host_pipes),
            WaitCall::Place(place) => waits_for_board_at(place, pid, host_pipes),
        }
    }
}

/// Whether a system call (number and arguments) waits for children or a pipe that no host writes
/// to.
fn waits_for_board_in_call(text: &str, pid: u32, host_pipes: &BTreeSet<u64>) -> bool {
    let mut words = text.split_whitespace();
    let Some(Ok(number)) = words.next().map(str::parse::<u64>) else { return false };
    if CHILD_WAIT_CALLS.contains(&number) {
        return true;
    }
    let descriptor = words.next().and_then(|word| word.strip_prefix("0x"));
    let descriptor = descriptor.and_then(|word| u64::from_str_radix(word, 16).ok());
    number == READ_CALL
        && descriptor
            .and_then(|number| pipe_behind(&proc_folder(pid).join(format!("fd/{number}"))))
            .is_some_and(|pipe| !host_pipes.contains(&pipe))
}

/// Whether a kernel function waits for children or a pipe that no host writes to. Which of its
/// pipes a process reads is hidden; but a shell opens one of its own (for the output of a command)
/// only to read it at once, so a process that has such a pipe reads that.
fn waits_for_board_at(place: &str, pid: u32, host_pipes: &BTreeSet<u64>) -> bool {
    // What follows a dot is the compiler's (`sigsuspend.isra.0`).
    let place = place.split('.').next().unwrap_or_default();
    let own_pipe = |entry: &DirEntry| {
        is_open_for_reading(entry)
            && pipe_behind(&entry.path()).is_some_and(|pipe| !host_pipes.contains(&pipe))
    };
    let mut open = fs::read_dir(proc_folder(pid).join("fd")).into_iter().flatten().flatten();
    CHILD_WAIT_FUNCTIONS.contains(&place)
        || PIPE_READ_FUNCTIONS.contains(&place) && open.any(|entry| own_pipe(&entry))
}

/// Whether a descriptor was opened for reading, from the mode of its link.
fn is_open_for_reading(descriptor: &DirEntry) -> bool {
    descriptor.metadata().is_ok_and(|link| link.permissions().mode() & 0o400 != 0)
}

/// Inode of the pipe behind a descriptor.
fn pipe_behind(descriptor: &Path) -> Option<u64> {
    let link = fs::read_link(descriptor).ok()?;
    link.to_str()?.strip_prefix("pipe:[")?.strip_suffix(']')?.parse().ok()
}

/// Folder of a process in `/proc`.
fn proc_folder(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}

/// Text of a file of a process in `/proc`. These files have no length that is known before; with
/// room for all of it a few reads suffice, and the clock reads many thousands.
fn read_proc_file(pid: u32, name: &str) -> io::Result<String> {
    let mut text = String::with_capacity(4096);
    File::open(proc_folder(pid).join(name))?.read_to_string(&mut text)?;
    Ok(text)
}

/// Whether an error means that a process does not exist (any longer).
fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || Errno::from_io_error(error) == Some(Errno::SRCH)
}

/// Whether a process exists although `/proc` hides it (`hidepid`).
fn exists(pid: u32) -> bool {
    kernel_pid(pid).is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
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
        let call = || {
            WaitCall::Number(read_proc_file(pid, "syscall").unwrap()).is_for_board(pid, host_pipes)
        };
        let place =
            || WaitCall::Place(read_proc_file(pid, "wchan").unwrap()).is_for_board(pid, host_pipes);
        assert!(comes_true(|| sleeps() && call() == waits && place() == waits), "{waits}");
    }

    #[test]
    fn who_waits_for_a_child_waits() {
        let parent = shell("cat; true");
        assert!(comes_true(|| !child_processes(parent.id()).is_empty()));
        both_say(parent.id(), &host_pipe(&parent), true);
        assert_eq!(child_processes(parent.id()), children_by_parents(parent.id()));
        end(parent);
    }

    #[test]
    fn who_reads_from_another_waits_and_who_reads_from_a_host_does_not() {
        let reader = shell("word=$(cat; true); true");
        let pipes = host_pipe(&reader);
        assert!(comes_true(|| !child_processes(reader.id()).is_empty()));
        both_say(reader.id(), &pipes, true);
        end(reader);
        let reader = shell("read -r word");
        both_say(reader.id(), &host_pipe(&reader), false);
        end(reader);
    }

    #[test]
    fn only_who_is_gone_or_a_zombie_has_ended() {
        let mut child = shell("exit 0");
        assert!(comes_true(|| matches!(
            read_state(child.id(), &BTreeSet::new()),
            ProcState::Ended
        )));
        assert!(!is_alive(child.id()), "its parent has not asked for it yet");
        child.wait().unwrap();
        assert!(!is_alive(child.id()));
        assert!(is_alive(1), "which an ordinary user may not look into");
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
        assert!(!WaitCall::Place("0".into()).is_shown());
        assert!(!WaitCall::Place("0".into()).is_for_board(1, &BTreeSet::new()));
        assert!(WaitCall::Place("sigsuspend.isra.0".into()).is_for_board(1, &BTreeSet::new()));
    }
}

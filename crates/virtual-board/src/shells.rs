//! The shells that hosts start on the board: each in a process group of its own,
//! known to the clock from its start to its end.

use std::io::{self, PipeWriter};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rustix::fs::fstat;
use rustix::process::{Pid, Signal, kill_process_group};

use super::clock::BoardClock;
use super::jail::{Confined, Jail, ROOT_VARIABLE};
use super::signals::{kill_group, raw_pid};

/// Starts shells.
pub(super) struct Shells {
    jail: Jail,
    clock: Arc<BoardClock>,
    is_disk_full: Box<dyn Fn() -> bool + Send + Sync>,
}

impl Shells {
    pub(super) fn new(
        jail: Jail,
        clock: Arc<BoardClock>,
        is_disk_full: Box<dyn Fn() -> bool + Send + Sync>,
    ) -> Self {
        Self { jail, clock, is_disk_full }
    }

    /// Ends the jail.
    pub(super) fn close(&self) {
        self.jail.close();
    }

    /// Starts a script (a shell that reads its input, if empty) with the outputs
    /// given and returns it with its input.
    pub(super) fn spawn(
        &self,
        script: &str,
        [stdout, stderr]: [OwnedFd; 2],
    ) -> io::Result<(Shell, PipeWriter)> {
        let (input, stdin) = io::pipe()?;
        let hold = self.clock.hold();
        let confined = self.jail.spawn(script, [input.into(), stdout, stderr])?;
        let (pid, pipe) = (confined.pid, fstat(stdin.as_fd())?.st_ino);
        if (self.is_disk_full)() {
            limit_files(pid, true);
        }
        self.clock.shell_started(pid, pipe);
        drop(hold);
        let confined = Mutex::new(confined);
        Ok((Shell { pid, pipe, confined, clock: self.clock.clone() }, stdin))
    }
}

/// A shell that runs.
pub(super) struct Shell {
    pid: u32,
    /// Inode of its input.
    pipe: u64,
    confined: Mutex<Confined>,
    clock: Arc<BoardClock>,
}

impl Shell {
    /// Waits for its end; its exit code, or 128 and the signal that ended it.
    pub(super) fn wait(&self) -> u8 {
        let confined = self.confined.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let code = confined.wait();
        self.clock.shell_ended(self.pid, self.pipe);
        code
    }

    /// What the end of a terminal does to its processes.
    pub(super) fn hang_up(&self) {
        if let Some(group) = i32::try_from(self.pid).ok().and_then(Pid::from_raw) {
            self.clock.rouse_shells(|| {
                // It may be over already.
                kill_process_group(group, hang_up_signal()).ok();
            });
        }
    }
}

/// Under `nohup` this process and all its children ignore hangups, and a shell can't trap
/// what it ignored from its start: then the request to end stands for the hangup.
fn hang_up_signal() -> Signal {
    if is_ignored(Signal::HUP.as_raw()) { Signal::TERM } else { Signal::HUP }
}

/// Whether whoever started this process wants it to ignore a signal.
pub fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignores(&status, signal)
}

/// Whether a signal's bit, from the first, is set in the mask of ignored ones; see proc(5).
fn ignores(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

impl Drop for Shell {
    fn drop(&mut self) {
        self.clock.host_satisfied();
    }
}

/// Ends every process of the board with this root, wherever it has gone.
pub(super) fn end_all(root: &Path) {
    all(root).into_iter().for_each(kill_group);
}

/// The processes of all shells of the board with this root whose command line holds a word.
pub(super) fn all_with(root: &Path, word: &str) -> Vec<u32> {
    let has = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(word)
    };
    all(root).into_iter().filter(has).collect()
}

/// Lets no file of a process and its children to come grow, or lets them again. They
/// ignore the signal that goes with it, so that a write just fails.
pub(super) fn limit_files(pid: u32, limited: bool) {
    use rustix::process::{Resource, Rlimit, getrlimit, prlimit};
    let most = getrlimit(Resource::Fsize).maximum;
    let limit = Rlimit { current: if limited { Some(0) } else { most }, maximum: most };
    // It may be over already.
    prlimit(raw_pid(pid), Resource::Fsize, limit).ok();
}

/// The processes of all shells of the board with this root.
pub(super) fn all(root: &Path) -> Vec<u32> {
    let mark = [ROOT_VARIABLE.as_bytes(), b"=", root.as_os_str().as_bytes()].concat();
    let pids = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ours = |entry: std::fs::DirEntry| {
        let pid = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        pid.filter(|_| environment.split(|byte| *byte == 0).any(|word| word == mark))
    };
    pids.filter_map(ours).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_bits_of_the_mask_of_ignored_ones() {
        let [hangup, interrupt] = [Signal::HUP, Signal::INT].map(Signal::as_raw);
        assert!(ignores("Name:\tsh\nSigIgn:\t0000000000001001\n", hangup));
        assert!(!ignores("SigIgn:\t0000000000001000\n", hangup));
        assert!(ignores("SigIgn:\t0000000000001002\n", interrupt));
        assert!(!ignores("Name:\tsh\n", hangup));
    }
}

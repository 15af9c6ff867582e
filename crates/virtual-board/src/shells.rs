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
use super::jail::{ConfinedShell, Jail, ROOT_VARIABLE};
use super::signals::{kernel_pid, kill_group};

/// Starts the shells of hosts in the board's jail.
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

    /// Ends the jail with all shells.
    pub(super) fn close(&self) {
        self.jail.close();
    }

    /// Starts a shell that runs a script (or reads its input, if empty) with these outputs, and
    /// returns it with the writer of its input.
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
            set_file_growth_blocked(pid, true);
        }
        self.clock.add_shell(pid, pipe);
        drop(hold);
        let confined = Mutex::new(confined);
        Ok((Shell { pid, pipe, confined, clock: self.clock.clone() }, stdin))
    }
}

/// Running shell of a host.
pub(super) struct Shell {
    pid: u32,
    /// Inode of the input pipe.
    pipe: u64,
    confined: Mutex<ConfinedShell>,
    clock: Arc<BoardClock>,
}

impl Shell {
    /// Waits for the shell's end; returns its exit code, or 128 and the signal that ended it.
    pub(super) fn wait(&self) -> u8 {
        let confined = self.confined.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let code = confined.wait();
        self.clock.remove_shell(self.pid, self.pipe);
        code
    }

    /// Sends the shell's processes the hangup of a closed terminal.
    pub(super) fn hang_up(&self) {
        if let Some(group) = i32::try_from(self.pid).ok().and_then(Pid::from_raw) {
            self.clock.rouse_shells(|| {
                // It may be over already.
                kill_process_group(group, hang_up_signal()).ok();
            });
        }
    }
}

/// Signal for a hangup. Under `nohup` this process and all its children ignore hangups, and a shell
/// cannot trap a signal that was ignored from its start: then SIGTERM stands for it.
fn hang_up_signal() -> Signal {
    if is_signal_ignored(Signal::HUP.as_raw()) { Signal::TERM } else { Signal::HUP }
}

/// Whether this process was started with a signal ignored.
pub fn is_signal_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    has_ignored_signal(&status, signal)
}

/// Whether a text of `/proc/self/status` has a signal in its mask of ignored ones; see proc(5).
fn has_ignored_signal(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

impl Drop for Shell {
    fn drop(&mut self) {
        self.clock.end_host_wait();
    }
}

/// Kills every process of the board with this root, in whatever group.
pub(super) fn kill_all_processes(root: &Path) {
    shell_processes(root).into_iter().for_each(kill_group);
}

/// Process numbers of the board with this root whose command line contains a word.
pub(super) fn shell_processes_with_word(root: &Path, word: &str) -> Vec<u32> {
    let has = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(word)
    };
    shell_processes(root).into_iter().filter(has).collect()
}

/// Keeps files of a process and its future children from growing, or ends that. They ignore the
/// signal that goes with it, so that a write just fails.
pub(super) fn set_file_growth_blocked(pid: u32, limited: bool) {
    use rustix::process::{Resource, Rlimit, getrlimit, prlimit};
    let most = getrlimit(Resource::Fsize).maximum;
    let limit = Rlimit { current: if limited { Some(0) } else { most }, maximum: most };
    // It may be over already.
    prlimit(kernel_pid(pid), Resource::Fsize, limit).ok();
}

/// Process numbers of all shells of the board with this root.
pub(super) fn shell_processes(root: &Path) -> Vec<u32> {
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
        assert!(has_ignored_signal("Name:\tsh\nSigIgn:\t0000000000001001\n", hangup));
        assert!(!has_ignored_signal("SigIgn:\t0000000000001000\n", hangup));
        assert!(has_ignored_signal("SigIgn:\t0000000000001002\n", interrupt));
        assert!(!has_ignored_signal("Name:\tsh\n", hangup));
    }
}

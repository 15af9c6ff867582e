//! Signals to processes by their numbers.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Process number in the kernel's type.
pub(super) fn kernel_pid(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

/// Sends a signal to a process; ignores one that is gone.
pub(super) fn signal_process(pid: u32, signal: Signal) {
    if let Some(pid) = kernel_pid(pid) {
        kill_process(pid, signal).ok();
    }
}

/// Kills a process and its group at once.
pub(super) fn kill_group(pid: u32) {
    if let Some(pid) = kernel_pid(pid) {
        // Either may be gone already.
        kill_process_group(pid, Signal::KILL).ok();
        kill_process(pid, Signal::KILL).ok();
    }
}

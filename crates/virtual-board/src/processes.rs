//! Check whether the processes of the board's shells are all waiting: for the clock, for
//! their children, or for each other through pipes. Only then may time pass.
//!
//! A snapshot of several processes is not one moment, so two are taken; a process that
//! has not run in between has waited all along, and so all of them have waited at the
//! moment between the two snapshots. Nothing but the board can wake them then.

use std::collections::{BTreeMap, BTreeSet};

use super::proc_state::{self, ProcState, WaitSnapshot, start_time};

/// Processes that were seen on the board: number and start time, since numbers are reused. A
/// background process stays known when its parent is gone.
#[derive(Default)]
pub(super) struct BoardProcesses {
    known: BTreeMap<u32, u64>,
    /// Process that did not wait at the last check: it is checked first.
    busy: Option<u32>,
}

/// Processes and pipes that the clock knows, for a check whether all processes wait.
pub(super) struct ProcessCheckInput<'a> {
    /// Process numbers of the shells that hosts started.
    pub shells: &'a BTreeSet<u32>,
    /// Process numbers that wait for the board.
    pub asleep: &'a BTreeSet<u32>,
    /// Inodes of pipes that hosts write to: a process that reads one waits for a host.
    pub host_pipes: &'a BTreeSet<u64>,
}

impl BoardProcesses {
    /// Remembers a process that called the board.
    pub(super) fn remember(&mut self, pid: u32) {
        if let Some(started) = start_time(pid) {
            self.known.insert(pid, started);
        }
    }

    /// Whether every process on the board waits.
    pub(super) fn are_all_waiting(&mut self, scene: &ProcessCheckInput<'_>) -> bool {
        // Most looks are made while one process computes: one file says so.
        if self.busy.is_some_and(proc_state::is_computing) {
            return false;
        }
        self.busy = None;
        self.forget_ended();
        let Some(first) = self.take_snapshot(scene) else { return false };
        // The kernel's list of children may leave one out while another one ends, so
        // the second look asks for it again.
        self.take_snapshot(scene).is_some_and(|second| first == second)
    }

    /// Process numbers of all living processes of the board.
    pub(super) fn living(&mut self, shells: &BTreeSet<u32>) -> BTreeSet<u32> {
        self.forget_ended();
        let mut found = BTreeSet::new();
        let mut open: Vec<u32> = shells.iter().chain(self.known.keys()).copied().collect();
        while let Some(pid) = open.pop() {
            if found.insert(pid) {
                open.extend(proc_state::child_processes(pid));
            }
        }
        found
    }

    /// Takes a snapshot of every process; `None` if one of them does not wait.
    fn take_snapshot(&mut self, scene: &ProcessCheckInput<'_>) -> Option<Vec<(u32, WaitSnapshot)>> {
        let mut seen = Vec::new();
        let mut visited = BTreeSet::new();
        let mut open: Vec<u32> = scene.shells.iter().chain(self.known.keys()).copied().collect();
        while let Some(pid) = open.pop() {
            if !visited.insert(pid) || scene.asleep.contains(&pid) {
                continue;
            }
            match proc_state::read_state(pid, scene.host_pipes) {
                // One that has just ended can't do anything any more.
                ProcState::Ended => continue,
                ProcState::Busy => {
                    self.busy = Some(pid);
                    return None;
                }
                ProcState::Waits(glimpse) => seen.push((pid, glimpse)),
            }
            open.extend(proc_state::child_processes(pid));
        }
        for (pid, _) in &seen {
            if !self.known.contains_key(pid) && !scene.shells.contains(pid) {
                self.remember(*pid);
            }
        }
        Some(seen)
    }

    /// Forgets processes that have ended.
    fn forget_ended(&mut self) {
        self.known.retain(|pid, started| start_time(*pid) == Some(*started));
    }
}

#[cfg(test)]
mod tests {
    use super::proc_state::child_processes;
    use super::*;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    fn wait_until(mut condition: impl FnMut() -> bool) -> bool {
        (0..400).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            condition()
        })
    }

    #[test]
    fn a_shell_waits_when_its_child_does() {
        let mut shell = Command::new("sh")
            .args(["-c", "cat; true"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let shells = BTreeSet::from([shell.id()]);
        let mut processes = BoardProcesses::default();
        assert!(wait_until(|| !child_processes(shell.id()).is_empty()));
        let cat: BTreeSet<u32> = child_processes(shell.id()).into_iter().collect();
        let none = BTreeSet::new();
        let host_pipes = {
            use std::os::fd::AsFd;
            let stdin = shell.stdin.as_ref().unwrap();
            BTreeSet::from([rustix::fs::fstat(stdin.as_fd()).unwrap().st_ino])
        };
        let scene = ProcessCheckInput { shells: &shells, asleep: &none, host_pipes: &host_pipes };
        assert!(!processes.are_all_waiting(&scene), "cat waits for its host");
        let scene = ProcessCheckInput { shells: &shells, asleep: &cat, host_pipes: &host_pipes };
        assert!(wait_until(|| processes.are_all_waiting(&scene)), "the shell waits for cat");
        assert_eq!(processes.living(&shells).len(), 2);
        drop(shell.stdin.take());
        shell.wait().unwrap();
    }

    #[test]
    fn a_shell_that_computes_does_not_wait() {
        let mut shell = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let shells = BTreeSet::from([shell.id()]);
        let none = BTreeSet::new();
        let scene =
            ProcessCheckInput { shells: &shells, asleep: &none, host_pipes: &BTreeSet::new() };
        assert!((0..50).all(|_| !BoardProcesses::default().are_all_waiting(&scene)));
        shell.kill().unwrap();
        shell.wait().unwrap();
    }
}

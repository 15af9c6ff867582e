//! Whether the processes of the board's shells are all waiting: for the clock, for
//! their children, or for each other through pipes. Only then may time pass.
//!
//! The kernel tells in `/proc/PID/syscall` which call a process waits in; while a
//! processor that idled is still on its way to a process that has been woken, only its
//! state in `/proc/PID/stat` says that it waits no longer. A look at
//! several processes is not one moment, so each is looked at twice; one that has not
//! run in between (`schedstat`) has waited all along, and so all of them have waited
//! at the moment between the two looks. Nothing but the board can wake them then.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

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

/// The processes that were seen on the board: number and start time, since numbers
/// are used again. A background process stays known when its parent is gone.
#[derive(Default)]
pub(super) struct Processes {
    known: BTreeMap<u32, u64>,
}

/// What the board knows when it looks at its processes.
pub(super) struct Scene<'a> {
    /// The shells that hosts started.
    pub shells: &'a BTreeSet<u32>,
    /// Processes of which the board knows that they wait for it.
    pub asleep: &'a BTreeSet<u32>,
    /// Pipes that hosts write to: who reads one waits for a host.
    pub host_pipes: &'a BTreeSet<u64>,
}

impl Processes {
    /// Remembers a process that called the board.
    pub(super) fn remember(&mut self, pid: u32) {
        if let Some(started) = start_time(pid) {
            self.known.insert(pid, started);
        }
    }

    /// Whether every process on the board waits.
    pub(super) fn all_wait(&mut self, scene: &Scene<'_>) -> bool {
        let Some(first) = self.look(scene) else { return false };
        // The kernel's list of children may leave one out while another one ends, so
        // the second look asks for it again.
        self.look(scene).is_some_and(|second| first == second)
    }

    /// All processes of the board that live.
    pub(super) fn living(&mut self, shells: &BTreeSet<u32>) -> BTreeSet<u32> {
        self.forget_dead();
        let mut found = BTreeSet::new();
        let mut open: Vec<u32> = shells.iter().chain(self.known.keys()).copied().collect();
        while let Some(pid) = open.pop() {
            if found.insert(pid) {
                open.extend(children(pid));
            }
        }
        found
    }

    /// One look at every process; nothing if one of them does not wait.
    fn look(&mut self, scene: &Scene<'_>) -> Option<Vec<(u32, Glimpse)>> {
        self.forget_dead();
        let mut seen = Vec::new();
        let mut visited = BTreeSet::new();
        let mut open: Vec<u32> = scene.shells.iter().chain(self.known.keys()).copied().collect();
        while let Some(pid) = open.pop() {
            if !visited.insert(pid) || scene.asleep.contains(&pid) {
                continue;
            }
            // One that has just ended can't do anything any more.
            let Some(glimpse) = glimpse(pid) else { continue };
            if !glimpse.waits(pid, scene) {
                return None;
            }
            open.extend(children(pid));
            seen.push((pid, glimpse));
        }
        for (pid, _) in &seen {
            if !self.known.contains_key(pid) && !scene.shells.contains(pid) {
                self.remember(*pid);
            }
        }
        Some(seen)
    }

    fn forget_dead(&mut self) {
        self.known.retain(|pid, started| start_time(*pid) == Some(*started));
    }
}

/// Whether a process has not ended.
pub(super) fn lives(pid: u32) -> bool {
    start_time(pid).is_some()
}

/// What a process was doing, and how often it had run.
#[derive(PartialEq, Eq)]
struct Glimpse {
    sleeps: bool,
    syscall: String,
    runs: String,
}

fn glimpse(pid: u32) -> Option<Glimpse> {
    let folder = folder(pid);
    let runs = fs::read_to_string(folder.join("schedstat"))
        .or_else(|_| fs::read_to_string(folder.join("status")))
        .ok()?;
    let syscall = fs::read_to_string(folder.join("syscall")).ok()?;
    // Last, since a process that is woken after the other looks may still seem to wait.
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    let sleeps = state(&stat)? == "S";
    (!is_zombie(&syscall)).then_some(Glimpse { sleeps, syscall, runs })
}

/// The kernel shows no call for a process that has ended but was not asked for yet.
fn is_zombie(syscall: &str) -> bool {
    syscall.starts_with("-1 0x0 0x0")
}

impl Glimpse {
    fn waits(&self, pid: u32, scene: &Scene<'_>) -> bool {
        if !self.sleeps {
            return false;
        }
        let mut words = self.syscall.split_whitespace();
        let Some(Ok(number)) = words.next().map(str::parse::<u64>) else { return false };
        if WAITS.contains(&number) {
            return true;
        }
        let descriptor = words.next().and_then(|word| word.strip_prefix("0x"));
        let descriptor = descriptor.and_then(|word| u64::from_str_radix(word, 16).ok());
        number == READ
            && descriptor
                .and_then(|descriptor| pipe_of(pid, descriptor))
                .is_some_and(|pipe| !scene.host_pipes.contains(&pipe))
    }
}

/// The inode of the pipe behind a descriptor.
fn pipe_of(pid: u32, descriptor: u64) -> Option<u64> {
    let link = fs::read_link(folder(pid).join("fd").join(descriptor.to_string())).ok()?;
    link.to_str()?.strip_prefix("pipe:[")?.strip_suffix(']')?.parse().ok()
}

fn folder(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}

fn children(pid: u32) -> Vec<u32> {
    let file = folder(pid).join("task").join(pid.to_string()).join("children");
    let text = fs::read_to_string(file).unwrap_or_default();
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// Start of a living process in ticks since the host's boot.
pub(super) fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(folder(pid).join("stat")).ok()?;
    if state(&stat)? == "Z" {
        return None;
    }
    // Field 22 of the line is the twentieth from the state on.
    fields(&stat)?.nth(19)?.parse().ok()
}

/// The state's letter in `/proc/PID/stat`.
fn state(stat: &str) -> Option<&str> {
    fields(stat)?.next()
}

/// The fields of `/proc/PID/stat` from the third, the state; the second may hold spaces.
fn fields(stat: &str) -> Option<std::str::Split<'_, char>> {
    Some(stat.rsplit_once(") ")?.1.split(' '))
}

#[cfg(test)]
mod tests {
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
        let mut processes = Processes::default();
        assert!(wait_until(|| !children(shell.id()).is_empty()));
        let cat: BTreeSet<u32> = children(shell.id()).into_iter().collect();
        let none = BTreeSet::new();
        let host_pipes = {
            use std::os::fd::AsFd;
            let stdin = shell.stdin.as_ref().unwrap();
            BTreeSet::from([rustix::fs::fstat(stdin.as_fd()).unwrap().st_ino])
        };
        let scene = Scene { shells: &shells, asleep: &none, host_pipes: &host_pipes };
        assert!(!processes.all_wait(&scene), "cat waits for its host");
        let scene = Scene { shells: &shells, asleep: &cat, host_pipes: &host_pipes };
        assert!(wait_until(|| processes.all_wait(&scene)), "the shell waits for cat");
        assert_eq!(processes.living(&shells).len(), 2);
        drop(shell.stdin.take());
        shell.wait().unwrap();
    }

    #[test]
    fn a_shell_that_computes_does_not_wait() {
        let mut shell = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let shells = BTreeSet::from([shell.id()]);
        let none = BTreeSet::new();
        let scene = Scene { shells: &shells, asleep: &none, host_pipes: &BTreeSet::new() };
        assert!((0..50).all(|_| !Processes::default().all_wait(&scene)));
        shell.kill().unwrap();
        shell.wait().unwrap();
    }
}

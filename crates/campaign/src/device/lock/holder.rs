//! The holder of a board's lock (a process, its machine, since when and for which results), and
//! whether that process is alive.

use std::fs;
use std::path::Path;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::attribution::monitor::sensors::parse_process;

/// A process that has a board's lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockHolder {
    /// Process ID.
    pub pid: u32,
    /// Start of the process in ticks since its machine booted, by `/proc/PID/stat`.
    pub started: u64,
    /// Scope of the process ID: the boot ID of the machine and the PID namespace.
    pub machine: String,
    /// Name of the machine.
    pub host: String,
    /// Time at which the process took the lock, by its machine's clock.
    pub since: String,
    /// Folder of its results.
    pub folder: String,
}

/// Longest folder in a lock's line; longer ones are cut, since an old shell takes short commands
/// only.
const FOLDER_CHARS: usize = 300;

impl LockHolder {
    /// This process as a holder, for results in `folder`.
    pub(super) fn of_this_process(folder: &Path, since: String) -> LockHolder {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let pid = std::process::id();
        LockHolder {
            pid,
            started: start_time(pid).unwrap_or_default(),
            machine: machine(),
            host: one_word(&kernel("hostname")),
            since,
            folder: plain(&folder.to_string_lossy()).chars().take(FOLDER_CHARS).collect(),
        }
    }

    /// A holder of which nothing is known.
    pub(super) fn unknown() -> LockHolder {
        let unknown = || "unknown".to_owned();
        let (machine, host, since, folder) = (unknown(), unknown(), unknown(), unknown());
        LockHolder { pid: 0, started: 0, machine, host, since, folder }
    }

    /// Hash of the facts, different for each holder.
    pub(super) fn id(&self) -> String {
        blake3::hash(self.facts().as_bytes()).to_hex()[..16].to_owned()
    }

    /// The pattern that matches the holder's line in a `case` of the shell.
    pub(super) fn case_pattern(&self) -> String {
        format!("\"id={} \"*", self.id())
    }

    fn facts(&self) -> String {
        let LockHolder { pid, started, machine, host, since, folder } = self;
        format!(
            "pid={pid} started={started} machine={machine} host={host} since={since} folder={folder}"
        )
    }

    /// The holder in one line, as [`LockHolder::parse`] reads it.
    pub(super) fn to_line(&self) -> String {
        format!("id={} {}", self.id(), self.facts())
    }

    /// Parses a line of [`LockHolder::to_line`]; none if a field is missing.
    pub(super) fn parse(line: &str) -> Option<LockHolder> {
        let (facts, folder) = line.split_once(" folder=")?;
        let word =
            |key: &str| facts.split(' ').find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
        Some(LockHolder {
            pid: word("pid")?.parse().ok()?,
            started: word("started")?.parse().ok()?,
            machine: word("machine")?.to_owned(),
            host: plain(word("host")?),
            since: plain(word("since")?),
            folder: plain(folder).chars().take(FOLDER_CHARS).collect(),
        })
    }
}

/// Whether the process that has a lock is alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Liveness {
    Alive,
    Gone,
    /// The process is on another machine, or in a namespace that this process cannot see.
    Unknown,
}

pub(super) fn liveness(holder: &LockHolder) -> Liveness {
    if holder.machine != machine() {
        return Liveness::Unknown;
    }
    let pid = i32::try_from(holder.pid).ok().and_then(Pid::from_raw);
    match pid.map(test_kill_process) {
        // Its number may be another's by now.
        Some(Ok(()) | Err(Errno::PERM)) => match start_time(holder.pid) {
            Some(started) if started != holder.started => Liveness::Gone,
            Some(_) if has_ended(holder.pid) => Liveness::Gone,
            _ => Liveness::Alive,
        },
        _ => Liveness::Gone,
    }
}

/// Boot ID of this machine and PID namespace of this process.
fn machine() -> String {
    let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    one_word(&format!("{}/{}", kernel("random/boot_id"), namespace.display()))
}

fn kernel(name: &str) -> String {
    fs::read_to_string(format!("/proc/sys/kernel/{name}")).unwrap_or_default().trim().to_owned()
}

/// Start of a process in ticks since boot; none if the process is gone or hidden.
fn start_time(pid: u32) -> Option<u64> {
    parse_process(&stat(pid)?).map(|(id, _)| id.start_ticks)
}

/// Whether a process is a zombie: ended, but not yet reaped by its parent.
fn has_ended(pid: u32) -> bool {
    let stat = stat(pid).unwrap_or_default();
    // The name before the state may have blanks and parentheses.
    stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with(['Z', 'X']))
}

fn stat(pid: u32) -> Option<String> {
    fs::read_to_string(format!("/proc/{pid}/stat")).ok()
}

/// The text without blanks, never empty.
fn one_word(text: &str) -> String {
    let word: String = plain(text).split_whitespace().collect();
    if word.is_empty() { "unknown".to_owned() } else { word }
}

/// The text in one line, without characters that a terminal or a shell's `echo` interprets.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || c == '\\' { '?' } else { c }).collect()
}

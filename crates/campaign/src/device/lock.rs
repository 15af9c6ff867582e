//! The lock of a board: one process at a time measures on it. On the board the lock is a folder,
//! which only one process can make, with a file that names its holder; on this machine it is a file
//! that is locked as long as its process is alive.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

use super::board::Board;
use super::error::DeviceError;
use super::remote_folders::{LOCK_FOLDER, SCRIPT_FOLDER};
use super::scripts::last_value;
use super::shell::quoted;
use crate::private_files::runtime_folder;

pub(super) mod holder;

pub use holder::LockHolder;
use holder::{Liveness, liveness};

/// Time without a session after which a lock of another machine counts as stale: the guard on the
/// board has restored it by then.
const SILENCE: Duration = Duration::from_secs(900);

/// Time limit of a command that only touches small files.
const LIMIT: Duration = Duration::from_secs(10);

/// Most readings of a lock that does not name its holder (which the holder writes at once), and the
/// time between two readings.
const LOOKS: u32 = 5;
const LOOK: Duration = Duration::from_millis(100);

/// A board's lock held by this process. It is not released when dropped, but by
/// [`BoardLock::release`], which needs the board.
#[derive(Debug)]
pub struct BoardLock {
    own: LockHolder,
    _on_host: Option<HostLock>,
}

impl BoardLock {
    /// Takes the lock of a board for results in `folder`: first the lock on this machine for the
    /// board's serial, then the one on the board. A lock whose process is gone is taken over.
    ///
    /// # Errors
    /// [`DeviceError::Held`] with the holder.
    pub fn take(board: &dyn Board, folder: &Path) -> Result<BoardLock, DeviceError> {
        let own = LockHolder::of_this_process(folder, now());
        let on_host = HostLock::take(board.serial(), &own)?;
        let lock = BoardLock { own, _on_host: on_host };
        lock.renew(board)?;
        Ok(lock)
    }

    /// Makes sure that the lock on the board is this process's, since it may have been removed.
    ///
    /// # Errors
    /// As [`BoardLock::take`].
    pub(crate) fn renew(&self, board: &dyn Board) -> Result<(), DeviceError> {
        let mut looks = 0;
        loop {
            let answer = run_lock_command(board, &take_command(&self.own))?;
            if last_value(&answer, "taken").is_some() {
                return Ok(());
            }
            let line = last_value(&answer, "held").unwrap_or_default();
            let holder = LockHolder::parse(line);
            match &holder {
                None if looks < LOOKS => {
                    looks += 1;
                    thread::sleep(LOOK);
                    continue;
                }
                Some(holder) if !is_stale(holder, &answer) => {
                    let (serial, holder) = (board.serial().into(), Box::new(holder.clone()));
                    return Err(DeviceError::Held { serial, holder, on_board: true });
                }
                _ => {}
            }
            // Of several that do this, the last one has it; the others notice.
            run_lock_command(board, &take_over_command(&self.own, line))?;
            looks += 1;
            if looks > 2 * LOOKS {
                let problem = "others take it at the same time".to_owned();
                return Err(DeviceError::Lock { serial: board.serial().into(), problem });
            }
        }
    }

    /// Removes this process's lock from the board.
    ///
    /// # Errors
    /// Those of the board, which then keeps a lock that the next process on this machine takes
    /// over.
    pub fn release(&self, board: &dyn Board) -> Result<(), DeviceError> {
        let pattern = self.own.case_pattern();
        let command = format!(
            "{READ_OWNER}; case $o in {pattern}) rm {LOCK_FOLDER}/owner; rmdir {LOCK_FOLDER} ;; esac"
        );
        board.shell(&command, LIMIT).map(drop)
    }

    /// The beginning of a shell command that needs the lock: it ends the command if another process
    /// has the lock.
    pub(super) fn check(&self) -> String {
        let pattern = self.own.case_pattern();
        format!("{READ_OWNER}; case $o in {pattern}) ;; *) echo {LOST}=yes; exit 3 ;; esac; ")
    }
}

/// The key of the line that [`BoardLock::check`]'s command prints where the lock is another's.
const LOST: &str = "lock_lost";

/// Fails if the output shows that a command was not run because another process has the lock.
pub(super) fn check_not_lost(board: &dyn Board, output: &str) -> Result<(), DeviceError> {
    match last_value(output, LOST) {
        Some(_) => Err(DeviceError::LockLost { serial: board.serial().into() }),
        None => Ok(()),
    }
}

/// Shell code that sets `o` to the line of the lock, empty without one.
const READ_OWNER: &str = "o=; [ ! -r /data/local/tmp/wattline/lock/owner ] || read -r o </data/local/tmp/wattline/lock/owner";

/// Runs a command that only touches small files and returns its output.
fn run_lock_command(board: &dyn Board, command: &str) -> Result<String, DeviceError> {
    let output = board.shell(command, LIMIT)?;
    match last_value(&output.stdout, "taken").or(last_value(&output.stdout, "held")) {
        Some(_) => Ok(output.stdout),
        None => {
            let (serial, problem) = (board.serial().into(), output.all_output());
            Err(DeviceError::Lock { serial, problem })
        }
    }
}

/// The command that makes the lock's folder and writes the holder; if there is a lock already, it
/// prints the holder and the facts that show whether that one is alive: the time of the last
/// session, the present time, and whether a session runs. A lock of this process stays.
fn take_command(own: &LockHolder) -> String {
    let (line, pattern) = (quoted(&own.to_line()), own.case_pattern());
    format!(
        "d={SCRIPT_FOLDER}; l={LOCK_FOLDER}; [ -d $d ] || mkdir $d; read -r u v </proc/uptime; \
         if mkdir $l 2>/dev/null; then \
         if echo {line} >$l/owner; then echo ${{u%%.*}} >$d/heartbeat; echo taken=yes; \
         else rm $l/owner; rmdir $l; fi; \
         elif [ ! -d $l ]; then mkdir $l; \
         else {READ_OWNER}; case $o in {pattern}) echo taken=yes ;; *) \
         b=; [ ! -r $d/heartbeat ] || read -r b <$d/heartbeat; \
         p=; [ ! -r $d/session/pid ] || read -r p <$d/session/pid; \
         if [ -n \"$p\" ] && [ -r /proc/$p/cmdline ]; then \
         case \"$(cat /proc/$p/cmdline)\" in *session.sh*) echo running=yes ;; esac; fi; \
         echo beat=$b; echo up=${{u%%.*}}; echo \"held=$o\" ;; esac; fi"
    )
}

/// The command that replaces the holder `former` by `own`, if the lock has not changed meanwhile.
fn take_over_command(own: &LockHolder, former: &str) -> String {
    let (line, former) = (quoted(&own.to_line()), quoted(former));
    format!(
        "{READ_OWNER}; l={LOCK_FOLDER}; if [ \"$o\" = {former} ]; then \
         read -r u v </proc/uptime; echo ${{u%%.*}} >{SCRIPT_FOLDER}/heartbeat; \
         echo {line} >$l/owner.{id} && mv $l/owner.{id} $l/owner && echo taken=yes; \
         else echo \"held=$o\"; fi",
        id = own.id()
    )
}

/// Whether the process that has a lock is gone, by what [`take_command`] prints.
fn is_stale(holder: &LockHolder, answer: &str) -> bool {
    match liveness(holder) {
        Liveness::Alive => false,
        Liveness::Gone => true,
        Liveness::Unknown => {
            let number = |key| last_value(answer, key).and_then(|text| text.parse::<u64>().ok());
            let (Some(up), Some(beat)) = (number("up"), number("beat")) else { return false };
            // A board that was restarted has no session that began before.
            let is_silent = up < beat || up - beat >= SILENCE.as_secs();
            is_silent && last_value(answer, "running").is_none()
        }
    }
}

fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or_default();
    Timestamp::from_second(seconds).unwrap_or_default().to_string()
}

/// A file that is locked on this machine as long as its process is alive.
#[derive(Debug)]
struct HostLock {
    file: File,
    path: PathBuf,
}

impl HostLock {
    /// Takes the lock for a board's serial; none if this user has no folder for it.
    fn take(serial: &str, own: &LockHolder) -> Result<Option<HostLock>, DeviceError> {
        let Ok(folder) = runtime_folder() else { return Ok(None) };
        HostLock::take_in(&folder, serial, own)
    }

    fn take_in(
        folder: &Path,
        serial: &str,
        own: &LockHolder,
    ) -> Result<Option<HostLock>, DeviceError> {
        let path = folder.join(file_name(serial));
        loop {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false).mode(0o600);
            // A full disk is no reason not to measure; the board has its lock, too.
            let Ok(mut file) = options.open(&path) else { return Ok(None) };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::Error(_)) => return Ok(None),
                Err(TryLockError::WouldBlock) => {
                    let mut line = String::new();
                    let _ = Read::by_ref(&mut file).take(4096).read_to_string(&mut line);
                    let holder = LockHolder::parse(line.trim()).unwrap_or_else(LockHolder::unknown);
                    let (serial, holder) = (serial.into(), Box::new(holder));
                    return Err(DeviceError::Held { serial, holder, on_board: false });
                }
            }
            // Whoever had it before removes the file: a lock of what is gone is none.
            if file.metadata().is_ok_and(|found| found.nlink() > 0) {
                let _ = write_line(&mut file, &own.to_line());
                return Ok(Some(HostLock { file, path }));
            }
        }
    }
}

fn write_line(file: &mut File, line: &str) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{line}")
}

impl Drop for HostLock {
    /// Unlocks the file before it is closed: a process that is just being started has a copy of the
    /// file, which would keep the lock.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        let _ = self.file.unlock();
    }
}

/// The lock file's name for a serial, which may have any characters.
fn file_name(serial: &str) -> String {
    let shown = serial.chars().take(60);
    let shown: String = shown.map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let hash = blake3::hash(serial.as_bytes()).to_hex();
    format!("board-{shown}-{}.lock", &hash[..8])
}

#[cfg(test)]
#[path = "lock_tests.rs"]
mod tests;

//! Boards: a shell with exit codes and deadlines, files, applications, sessions. The only
//! module that knows ADB.
//!
//! To add another kind of board, implement [`Board`] in a file of its own; the sessions and
//! scripts of this module then run on it as they are.

mod adb;
mod clocks;
mod error;
mod host_log;
mod input_command;
mod install;
mod limit;
mod local;
mod local_meters;
mod local_session;
mod lock;
mod lost_lines;
mod meters;
mod monitored;
mod plan;
mod prepare;
mod profile;
mod recovery;
mod sampler;
mod scripts;
mod server;
mod session;
mod shell;
mod status;
mod thread_times;
mod transfer;
mod virtual_board;

use std::path::Path;
use std::time::Duration;

pub use adb::{AdbBoard, ListedBoard, RECONNECT_LIMIT, connect, disconnect, list, reconnect};
pub use error::DeviceError;
pub(crate) use host_log::{HostLog, check_bench};
pub use input_command::InputCommand;
pub use limit::CancelFlag;
pub(crate) use local::{LOCAL_SERIAL, LocalJvm, local_shell};
pub(crate) use local_meters::powercap_reading;
pub use lock::{BoardLock, LOCK_FOLDER, LockHolder};
pub(crate) use meters::offered;
pub use meters::{ChosenMeter, choose_meter};
pub(crate) use monitored::MonitoredDevice;
pub use plan::{PackageEntryPoint, Pinning, SessionKind, SessionPlan};
pub use prepare::{BoardState, Frequency, Guard, PrepareOptions, prepare, restore};
pub(crate) use recovery::{await_abandoned, with_recovery};
pub use sampler::Sampler;
pub use scripts::{SCRIPT_FOLDER, SCRIPTS};
pub use server::Server;
pub(crate) use session::run_session_watched;
pub use session::{SessionEnd, SessionLogs, SessionOutcome, run_session};
pub use shell::ShellMode;
pub use virtual_board::virtual_board_options;

/// What a command on a board printed, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellOutput {
    /// Standard output; with a legacy shell the errors are in it too.
    pub stdout: String,
    /// Standard error; empty with a legacy shell.
    pub stderr: String,
    /// The exit code, 0 to 255.
    pub exit_code: i32,
}

impl ShellOutput {
    /// The output of a command that ended with 0, else [`DeviceError::CommandFailed`].
    pub fn success(self, board: &dyn Board, command: &str) -> Result<String, DeviceError> {
        if self.exit_code == 0 {
            return Ok(self.stdout);
        }
        Err(DeviceError::CommandFailed {
            serial: board.serial().into(),
            command: server::shortened(command),
            exit_code: self.exit_code,
            output: self.all_output(),
        })
    }

    /// Output and errors as one text, for messages.
    pub fn all_output(&self) -> String {
        [self.stdout.trim(), self.stderr.trim()].join("\n").trim().to_owned()
    }
}

/// A board. All calls end by a time limit, with what happened as the error's variant.
pub trait Board: Send + Sync {
    /// The name the board is known by.
    fn serial(&self) -> &str;

    /// Runs a shell command to its end, or to the deadline. A command that ends with
    /// another code than 0 is no error here.
    fn shell(&self, command: &str, deadline: Duration) -> Result<ShellOutput, DeviceError>;

    /// The same; `watch` sees the output as it comes, on boards that give it so.
    fn shell_watched(
        &self,
        command: &str,
        deadline: Duration,
        _watch: &mut dyn FnMut(&[u8]),
    ) -> Result<ShellOutput, DeviceError> {
        self.shell(command, deadline)
    }

    /// Writes a file on the board, with the mode's permissions, and verifies it.
    fn push(&self, content: &[u8], remote: &str, mode: u32) -> Result<(), DeviceError>;

    /// Reads a file of the board that nobody writes any more, and verifies it.
    fn pull(&self, remote: &str) -> Result<Vec<u8>, DeviceError>;

    /// Begins a command that needs the board to be this process's own, with what ends it where
    /// the board's lock is another's; empty on boards without a lock.
    fn lock_check(&self) -> String {
        String::new()
    }

    /// Installs an application (an `.apk`; a `.jar` on a virtual board that takes these), over an
    /// older one of the package's name, on a prepared board.
    fn install(&self, file: &Path, package: &str) -> Result<(), DeviceError>;
}

/// Whether a board is a piece of hardware. Every report says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Hardware {
    /// A real board.
    #[default]
    Real,
    /// The virtual board of this program: its energy is computed, not measured.
    Virtual,
}

/// What a board says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoardFacts {
    /// `ro.product.model`; absent where the board does not say.
    pub model: Option<String>,
    /// `ro.build.version.release`; absent where the board does not say.
    pub android_release: Option<String>,
    /// Real or virtual.
    pub hardware: Hardware,
    /// `ro.serialno`: the board's own serial, wherever adb finds it; absent where the board
    /// does not say.
    pub own_serial: Option<String>,
    /// `ro.wattline.silicon`: the chip of a virtual board; absent on others.
    pub silicon: Option<String>,
    /// Whether what runs there is compiled: since Android 5.0 it is, and before by no more than
    /// a just-in-time compiler of short traces.
    pub compiles: bool,
    /// Its sampling profiler, where it has one that is known here.
    pub sampler: Option<Sampler>,
}

impl BoardFacts {
    /// Whether the energy of this board is computed rather than measured.
    pub fn is_virtual(&self) -> bool {
        self.hardware == Hardware::Virtual
    }
}

/// The API level of the first Android whose runtime, ART, compiles all code.
const ANDROID_5_0: u32 = 21;

/// Asks a board what it is.
pub(crate) fn facts(board: &dyn Board) -> Result<BoardFacts, DeviceError> {
    let command = "getprop ro.product.model; getprop ro.build.version.release; \
                   getprop ro.wattline.virtual; getprop ro.serialno; getprop ro.wattline.silicon; \
                   getprop ro.build.version.sdk; command -v simpleperf || echo";
    let answer = board.shell(command, Duration::from_secs(10))?.success(board, command)?;
    Ok(facts_of(&answer))
}

/// The six lines `getprop` gave, and where simpleperf is; what is unknown is an empty line.
fn facts_of(answer: &str) -> BoardFacts {
    let mut lines = answer.lines().map(str::trim);
    let mut next = || lines.next().filter(|line| !line.is_empty()).map(str::to_owned);
    let (model, android_release, mark, own_serial) = (next(), next(), next(), next());
    let (silicon, level, simpleperf) = (next(), next(), next());
    let level: Option<u32> = level.and_then(|level| level.parse().ok());
    let compiles = level.is_some_and(|level| level >= ANDROID_5_0);
    let sampler = sampler::of_android(level, simpleperf.is_some());
    let hardware = match mark.as_deref() {
        None | Some("0" | "false") => Hardware::Real,
        Some(_) => Hardware::Virtual,
    };
    BoardFacts { model, android_release, hardware, own_serial, silicon, compiles, sampler }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_tell_what_a_board_is() {
        let real = facts_of("ODROID-XU\n4.2.2\n\n");
        assert_eq!(real.model.as_deref(), Some("ODROID-XU"));
        assert!(!real.is_virtual());
        let other = facts_of("wattline\n\n1\nleft\ncompiled:1\n");
        assert_eq!(other.silicon.as_deref(), Some("compiled:1"));
        assert!(other.is_virtual());
        assert_eq!(other.own_serial.as_deref(), Some("left"));
        assert_eq!(facts_of("\n\n\n"), BoardFacts::default());
        let sampler =
            |level: &str, place: &str| facts_of(&format!("m\n\n\n\n\n{level}\n{place}\n")).sampler;
        let place = "/system/bin/simpleperf";
        assert_eq!(sampler("34", place), Some(Sampler::Simpleperf));
        assert_eq!(sampler("29", place), Some(Sampler::Simpleperf));
        assert_eq!(sampler("34", ""), None);
        assert_eq!(sampler("28", place), Some(Sampler::Methods), "no application allows it");
        assert_eq!(sampler("19", ""), Some(Sampler::Methods));
        assert_eq!([sampler("18", ""), sampler("", "")], [None; 2]);
        let compiles = |level: &str| facts_of(&format!("m\n\n\n\n\n{level}\n")).compiles;
        assert_eq!(["20", "21", ""].map(compiles), [false, true, false]);
    }
}

//! Errors of boards. Every variant names the board and the remedy; all of them give exit code 4
//! (board failed).

use std::io;
use std::net::SocketAddrV4;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use super::LOCAL_SERIAL;
use super::lock::holder::LockHolder;
use super::remote_folders::LOCK_FOLDER;
use crate::format::visible_path;
use crate::scenario::nearest_of;
use wattline_units::limits::LimitExceeded;

impl DeviceError {
    /// The kind of the error in a few words, without its details.
    pub(crate) fn in_short(&self) -> String {
        match self {
            DeviceError::LockLost { .. } => "the lock on the board was lost".into(),
            DeviceError::Lost { .. } => "the connection was lost".into(),
            DeviceError::TimedOut { .. } => "the board did not answer in time".into(),
            DeviceError::NotReady { .. } => "the board was not there".into(),
            DeviceError::ServerUnreachable { .. } => "the adb server was not there".into(),
            DeviceError::Transfer { .. } => "a transfer failed".into(),
            DeviceError::Refused { message, .. } => message.clone(),
            other => other.to_string(),
        }
    }
}

/// Error of a call to a board, or to the adb server.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// There is no adb server, and no program to start one with.
    #[error(
        "no adb server answers at {address} and `adb` is not on the PATH; \
         install it (`apt-get install adb`), or name a running server's port in \
         ANDROID_ADB_SERVER_PORT"
    )]
    AdbMissing {
        /// Where the server was looked for.
        address: SocketAddrV4,
    },
    /// The adb server could not be reached or started.
    #[error(
        "the adb server at {address} cannot be reached; try `adb -P {port} start-server`",
        port = address.port()
    )]
    ServerUnreachable {
        /// Where the server was looked for.
        address: SocketAddrV4,
        /// Error of the connection.
        #[source]
        source: io::Error,
    },
    /// The adb server is another user's.
    #[error(
        "the adb server at {address} belongs to another user (number {uid}), who could see and \
         change all that goes to a board; name a free port in ANDROID_ADB_SERVER_PORT, where a \
         server of your own is started"
    )]
    ForeignServer {
        /// Address at which the server listens.
        address: SocketAddrV4,
        /// User number of the server's owner.
        uid: u32,
    },
    /// The server does not list the board, or the board is not ready.
    #[error("board {serial} is not ready ({state}): {}{}", remedy_for(state), did_you_mean(serial))]
    NotReady {
        /// The board's serial.
        serial: String,
        /// The state or the message the server gave.
        state: String,
    },
    /// Another process measures on the board.
    #[error(
        "board {serial} is in use by process {} on {} since {}, which writes to {}; wait for it \
         or stop it, or name another board{}", holder.pid, holder.host, holder.since,
         holder.folder, if *on_board { remove_lock(serial) } else { String::new() }
    )]
    Held {
        /// The board's serial.
        serial: String,
        /// The process that has the board's lock.
        holder: Box<LockHolder>,
        /// Whether the lock on the board names the holder; else the lock on this machine does.
        on_board: bool,
    },
    /// The lock of this process is not on the board any more.
    #[error("board {serial}: its lock is gone, or another's; another process may use the board")]
    LockLost {
        /// The board's serial.
        serial: String,
    },
    /// The lock can't be written on the board.
    #[error(
        "{serial}: the lock {LOCK_FOLDER} cannot be written: {problem}; is the disk full, or does \
         the folder belong to another user of the board?"
    )]
    Lock {
        /// The board's serial.
        serial: String,
        /// The board's message.
        problem: String,
    },
    /// No power meter can be read, or not the one that is asked for.
    #[error(
        "board {serial} can't be measured, which is not 0 J: {why}; see `wattline board check`"
    )]
    NoMeter {
        /// The board's serial.
        serial: String,
        /// Reason for each meter that was tried.
        why: String,
    },
    /// The log of an external meter can't be used.
    #[error("{serial}: the log {file}{}: {problem}", at_line(*line), file = visible_path(file))]
    MeterLog {
        /// The board's serial.
        serial: String,
        /// The log.
        file: PathBuf,
        /// Line number from 1; none if the error concerns the whole file.
        line: Option<usize>,
        /// Description of the error, with the remedy.
        problem: String,
    },
    /// The server or the board refused a service.
    #[error(
        "{serial}: `{service}` was refused: {message}; see `adb devices -l`, and \
         `adb disconnect {serial}` then `adb connect {serial}` after a restart of the board"
    )]
    Refused {
        /// The board's serial.
        serial: String,
        /// The service that was asked for.
        service: String,
        /// Answer of the server.
        message: String,
    },
    /// The connection ended before the answer was complete.
    #[error(
        "{serial}: the connection was lost while {doing}; check cable and power, then \
         `adb disconnect {serial}` and `adb connect {serial}`"
    )]
    Lost {
        /// The board's serial.
        serial: String,
        /// The interrupted action.
        doing: String,
    },
    /// The time limit of a call passed.
    #[error(
        "{serial}: no end of {doing} within {} s; raise the limit, or see with \
         `adb -s {serial} shell` whether the board still answers", limit.as_secs_f64()
    )]
    TimedOut {
        /// The board's serial.
        serial: String,
        /// The interrupted action.
        doing: String,
        /// The limit that passed.
        limit: Duration,
    },
    /// The call was cancelled on request.
    #[error("{serial}: stopped on request while {doing}")]
    Cancelled {
        /// The board's serial.
        serial: String,
        /// The interrupted action.
        doing: String,
    },
    /// A command on the board ended with a code other than 0.
    #[error("{serial}: `{command}` ended with exit code {exit_code}: {output}")]
    CommandFailed {
        /// The board's serial.
        serial: String,
        /// The command, as sent.
        command: String,
        /// Its exit code.
        exit_code: i32,
        /// Output of the command, errors included.
        output: String,
    },
    /// A command is too long for a board with the legacy shell, which takes one message.
    #[error(
        "{serial}: a command of {length} bytes is too long for this board's shell \
         (at most {limit}); push it as a file and run that"
    )]
    CommandTooLong {
        /// The board's serial.
        serial: String,
        /// Bytes of the command.
        length: usize,
        /// Bytes that fit.
        limit: usize,
    },
    /// A device script reported an error; its message contains the remedy.
    #[error("{serial}: {script}: {message}")]
    Script {
        /// The board's serial.
        serial: String,
        /// The script's file name.
        script: &'static str,
        /// Message of the script.
        message: String,
    },
    /// The board sent more output than the limit.
    #[error("{serial}: {what}: {exceeded}; restart the board, and look at what it runs")]
    TooMuch {
        /// The board's serial.
        serial: String,
        /// The requested output.
        what: String,
        /// The limit, and how far it was exceeded.
        exceeded: LimitExceeded,
    },
    /// A file did not arrive as it was sent.
    #[error(
        "{serial}: {remote}: {problem}; look for free space (`adb -s {serial} shell df`), \
         then try again"
    )]
    Transfer {
        /// The board's serial.
        serial: String,
        /// The file on the board.
        remote: String,
        /// The difference, or the board's message.
        problem: String,
    },
    /// The package manager refused an application.
    #[error(
        "{serial}: {file} was not installed: {message}; {remedy}",
        file = visible_path(file), remedy = super::install_remedies::install_remedy(message)
    )]
    Install {
        /// The board's serial.
        serial: String,
        /// The application's file on this machine.
        file: PathBuf,
        /// Message of the package manager.
        message: String,
    },
    /// The board's answer cannot be parsed.
    #[error("{serial}: {what}; the raw answer begins with {answer:?}")]
    Garbled {
        /// The board's serial.
        serial: String,
        /// The expected content that is missing.
        what: String,
        /// The beginning of the answer.
        answer: String,
    },
    /// A session plan cannot be passed to the board's shell.
    #[error("session {label}: {problem}")]
    Plan {
        /// The session's label.
        label: String,
        /// Description of the error, with the remedy.
        problem: String,
    },
    /// A file on this machine cannot be read.
    #[error("{} cannot be read", visible_path(path))]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// The remedy for a lock whose process is gone without this machine being able to detect it.
fn remove_lock(serial: &str) -> String {
    format!(
        "; if that process is gone for good, remove its lock: `adb -s {serial} shell rm -r \
         {LOCK_FOLDER}`"
    )
}

fn at_line(line: Option<usize>) -> String {
    line.map(|line| format!(", line {line}")).unwrap_or_default()
}

/// The sentence that helps with a state of `adb devices`.
fn remedy_for(state: &str) -> &'static str {
    if ["unauthorized", "authorizing", "authenticate"].iter().any(|part| state.contains(part)) {
        "accept this computer's key on the board's screen; a virtual board accepts only that of \
         the user who started it (~/.android/adbkey.pub), so the adb server has to be this \
         user's, too: ANDROID_ADB_SERVER_PORT names another port for one of your own"
    } else if state.contains("no permissions") {
        "allow access to the USB device (udev rules), then `adb kill-server`"
    } else if state.contains("offline") {
        "disconnect and connect it again, or restart it"
    } else {
        "connect it and look for it in `wattline board list`; over TCP: `adb connect HOST:PORT`"
    }
}

/// A clause that suggests `jvm` or `virtual` for a similar, mistyped serial; empty if neither is
/// similar.
fn did_you_mean(serial: &str) -> String {
    let nearest = nearest_of(serial, [LOCAL_SERIAL, "virtual"].into_iter());
    nearest.map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_board_that_is_none_of_adbs_is_named() {
        let not_ready = |serial: &str| {
            let state = "device not found".into();
            DeviceError::NotReady { serial: serial.into(), state }.to_string()
        };
        assert!(not_ready("jmv").ends_with("; did you mean `jvm`?"), "{}", not_ready("jmv"));
        assert!(not_ready("virtaul").ends_with("; did you mean `virtual`?"));
        assert!(!not_ready("0123456789").contains("did you mean"));
    }

    #[test]
    fn a_state_brings_its_remedy() {
        let not_ready = |state: &str| {
            DeviceError::NotReady { serial: "x".into(), state: state.into() }.to_string()
        };
        assert!(not_ready("unauthorized").contains("accept this computer's key"));
        let connecting = not_ready("failed to authenticate to 127.0.0.1:4000");
        assert!(connecting.contains("ANDROID_ADB_SERVER_PORT"), "{connecting}");
        assert!(not_ready("no permissions (user in plugdev)").contains("udev"));
        assert!(not_ready("device 'x' not found").contains("board list"));
    }
}

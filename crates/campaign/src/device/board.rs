//! The trait of all kinds of boards: commands, files, applications.

use std::path::Path;
use std::time::Duration;

use super::error::DeviceError;
use super::shortened::shortened;

/// The output of a shell command on a board, and its exit code.
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
            command: shortened(command),
            exit_code: self.exit_code,
            output: self.all_output(),
        })
    }

    /// Output and errors as one text, for messages.
    pub fn all_output(&self) -> String {
        [self.stdout.trim(), self.stderr.trim()].join("\n").trim().to_owned()
    }
}

/// A board on which shell commands run and files are read and written. All calls end by a time
/// limit; the error's variant shows what happened.
pub trait Board: Send + Sync {
    /// The board's serial, as adb names it.
    fn serial(&self) -> &str;

    /// Runs a shell command to its end, or to the deadline. A command that ends with
    /// another code than 0 is no error here.
    fn shell(&self, command: &str, deadline: Duration) -> Result<ShellOutput, DeviceError>;

    /// Runs a shell command as [`Board::shell`] does; calls `watch` with each part of the output as
    /// it arrives, on boards that stream it.
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

    /// Reads a file of the board that is no longer written to, and verifies it.
    fn pull(&self, remote: &str) -> Result<Vec<u8>, DeviceError>;

    /// The beginning of a shell command that needs this process's lock: it ends the command if
    /// another process has the lock. Empty on boards without a lock.
    fn lock_check(&self) -> String {
        String::new()
    }

    /// Installs an application (an `.apk`; a `.jar` on a virtual board that takes these), over an
    /// older one of the package's name, on a prepared board.
    fn install(&self, file: &Path, package: &str) -> Result<(), DeviceError>;
}

//! What a board can do, whatever kind it is.

use std::path::Path;
use std::time::Duration;

use super::error::DeviceError;
use super::shortened::shortened;

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

//! Standard output of all commands. An output that could not be written is remembered until the
//! command ends, and decides its exit code. A reader that has gone (`| head`) is no error.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::failure::Failure;
use crate::format;

use super::shutdown;

/// State of standard output.
#[derive(Debug)]
enum OutputState {
    /// Everything was written.
    Written,
    /// The reader has gone.
    Closed,
    /// An output was not written.
    Lost(io::Error),
}

/// State of this process's standard output.
static STATE: Mutex<OutputState> = Mutex::new(OutputState::Written);

/// Prints the result of a command for people: control characters of foreign names show as their
/// code.
pub fn result(text: impl AsRef<str>) {
    print(&format::visible(text.as_ref()));
}

/// Prints a document or table for programs unchanged; on a terminal, which people read, as
/// [`result`].
pub fn document(text: impl AsRef<str>) {
    match io::stdout().is_terminal() {
        true => result(text),
        false => print(text.as_ref()),
    }
}

/// Prints a text and remembers an error.
fn print(text: &str) {
    if shutdown::is_shutting_down() || is_closed() {
        return;
    }
    let mut line = String::with_capacity(text.len() + 1);
    line.push_str(text);
    line.push('\n');
    remember_outcome(io::stdout().write_all(line.as_bytes()));
}

/// Writes bytes that must be whole, for a reader that has not gone.
///
/// # Errors
/// If they can't be written; of kind [`ErrorKind::BrokenPipe`] where the reader has gone.
pub fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    output.write_all(bytes).and_then(|()| output.flush()).map_err(lost_output)
}

/// Remembers the outcome of printing by other code.
pub fn remember_outcome(printed: io::Result<()>) {
    let Err(error) = printed else { return };
    let mut state = state();
    if matches!(*state, OutputState::Written) {
        *state = match error.kind() {
            ErrorKind::BrokenPipe => OutputState::Closed,
            _ => OutputState::Lost(error),
        };
    }
}

/// Whether the reader has gone or an output was lost, so that a command which prints until it is
/// stopped can end.
pub fn is_closed() -> bool {
    !matches!(*state(), OutputState::Written)
}

/// Checks that all output so far has arrived; at the end of a command, all of it.
///
/// # Errors
/// If something could not be written, which is told once.
pub fn check() -> Result<(), Failure> {
    remember_outcome(io::stdout().flush());
    let mut state = state();
    if !matches!(*state, OutputState::Lost(_)) {
        return Ok(());
    }
    match std::mem::replace(&mut *state, OutputState::Closed) {
        OutputState::Lost(error) => Err(lost_output(error)),
        OutputState::Written | OutputState::Closed => Ok(()),
    }
}

/// Failure of a lost output.
fn lost_output(error: io::Error) -> Failure {
    Failure::io("write", "the output")(error)
}

/// Locks the state of standard output.
fn state() -> MutexGuard<'static, OutputState> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Standard output, on which all commands print through this file: what could not be written is
//! remembered until the command ends, and makes its exit code. A reader that has gone
//! (`| head`) is no error.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::failure::Failure;
use crate::format;

use super::ending;

/// What became of what was printed.
#[derive(Debug)]
enum OutputState {
    /// All of it was written.
    Written,
    /// The reader has gone.
    Closed,
    /// Some of it was not written.
    Lost(io::Error),
}

static STATE: Mutex<OutputState> = Mutex::new(OutputState::Written);

/// Prints the result of a command for people: control characters of foreign names show as
/// their code.
pub fn result(text: impl AsRef<str>) {
    print(&format::visible(text.as_ref()));
}

/// Prints a document or table that programs read, as it is; on a terminal, which people read,
/// as [`result`].
pub fn document(text: impl AsRef<str>) {
    match io::stdout().is_terminal() {
        true => result(text),
        false => print(text.as_ref()),
    }
}

fn print(text: &str) {
    if ending::is_ending() || is_closed() {
        return;
    }
    let mut line = String::with_capacity(text.len() + 1);
    line.push_str(text);
    line.push('\n');
    remember(io::stdout().write_all(line.as_bytes()));
}

/// Writes bytes that are wanted whole, for a reader that has not gone.
///
/// # Errors
/// If they can't be written; of kind [`ErrorKind::BrokenPipe`] where the reader has gone.
pub fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    output.write_all(bytes).and_then(|()| output.flush()).map_err(failed)
}

/// Takes note of how printing by somebody else ended.
pub fn remember(printed: io::Result<()>) {
    let Err(error) = printed else { return };
    let mut state = state();
    if matches!(*state, OutputState::Written) {
        *state = match error.kind() {
            ErrorKind::BrokenPipe => OutputState::Closed,
            _ => OutputState::Lost(error),
        };
    }
}

/// Whether nothing that is printed arrives anywhere any more, so that a command which prints
/// until it is stopped can end.
pub fn is_closed() -> bool {
    !matches!(*state(), OutputState::Written)
}

/// Whether all that was printed so far has arrived; at the end of a command, all of it.
///
/// # Errors
/// If something could not be written, which is told once.
pub fn check() -> Result<(), Failure> {
    remember(io::stdout().flush());
    let mut state = state();
    if !matches!(*state, OutputState::Lost(_)) {
        return Ok(());
    }
    match std::mem::replace(&mut *state, OutputState::Closed) {
        OutputState::Lost(error) => Err(failed(error)),
        OutputState::Written | OutputState::Closed => Ok(()),
    }
}

fn failed(error: io::Error) -> Failure {
    Failure::io("write", "the output")(error)
}

fn state() -> MutexGuard<'static, OutputState> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

//! The command line.

use std::process::ExitCode;

/// Parses the arguments, runs the command and returns its exit code.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}

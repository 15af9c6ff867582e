//! The messages of the real tool.

use crate::commands::reply::Reply;

/// A line of the tool's own log, with the file that writes it there; its line is not said.
pub(super) fn log_line(level: char, file: &str, message: &str) -> String {
    format!("simpleperf {level} {file}:1] {message}\n")
}

/// What it says when all is well goes to standard error, too.
pub(super) fn told(file: &str, message: &str) -> Reply {
    Reply { error: log_line('I', file, message), ..Reply::default() }
}

pub(super) fn refused(file: &str, message: &str) -> Reply {
    Reply { error: log_line('E', file, message), code: 1, ..Reply::default() }
}

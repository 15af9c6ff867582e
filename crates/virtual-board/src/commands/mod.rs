//! The board's own commands. Each is a function from the machine, or its state, and the command's
//! arguments to a reply.
//!
//! To add one: its name in [`super::shim::COMMANDS`], its function in a file here,
//! one line in [`run`].

mod activity;
mod input;
mod log;
mod packages;
mod processes;
mod properties;
pub(super) mod reply;
mod settings;
mod simpleperf;
mod time;

use std::io;
use std::os::unix::net::UnixStream;

use super::machine::Machine;
use super::wire::CommandRequest;
use reply::Reply;

/// Runs a command and returns its reply; `None` if it has replied by itself or was cut off by the
/// board's end.
pub(super) fn run(
    machine: &Machine,
    request: &CommandRequest,
    connection: &mut UnixStream,
) -> io::Result<Option<Reply>> {
    let words: Vec<&str> = request.arguments.iter().map(String::as_str).collect();
    let words = words.as_slice();
    let board = &machine.state;
    let reply = match request.name.as_str() {
        "sleep" | "usleep" => return Ok(time::sleep(board, request, words)),
        "logcat" => return log::logcat(machine, request.pid, words, connection),
        "simpleperf" => return simpleperf::simpleperf(machine, request.pid, words, connection),
        "am" => return activity::am(machine, request.pid, words, connection),
        "cmd" => packages::cmd(machine, words),
        "date" => time::date(board, words),
        "dumpsys" => processes::dumpsys(machine, words),
        "getprop" => properties::getprop(board, words),
        "input" => return Ok(input::input(machine, request, words)),
        "log" => log::log(board, request, words),
        "pidof" => processes::pidof(machine, words),
        "pm" => packages::pm(machine, words),
        "ps" => processes::ps(machine),
        "run-as" => packages::run_as(machine, words),
        "setprop" => properties::setprop(machine, request, words),
        "settings" => settings::settings(board, words),
        "svc" => settings::svc(board, words),
        "sync" => Reply::default(),
        "taskset" => processes::taskset(words),
        "wm" => settings::wm(board, words),
        other => Reply::failure(format!("{other}: not a command of the board")),
    };
    Ok(Some(reply))
}

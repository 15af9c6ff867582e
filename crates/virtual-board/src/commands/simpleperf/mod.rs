//! `simpleperf`, which Android has in its system from release 10 on: `record` and `report-sample`,
//! with the options, messages and exit codes of the real tool, as far as the board supports them.
//! See `docs/internals/virtual-board-simpleperf.md`.

mod messages;
mod options;
mod paths;
mod record;
mod report;

use std::io;
use std::os::unix::net::UnixStream;

use crate::commands::reply::Reply;
use crate::machine::Machine;
use messages::{failure_reply, success_reply};

const USAGE: &str = "Usage: simpleperf [common options] subcommand [args_for_subcommand]\n\
    subcommands:\n    record              record sampling info in perf.data\n    \
    report-sample       report raw sample information in perf.data\n";

/// `simpleperf COMMAND ...`. The first word is the folder in which the command was called.
pub(super) fn simpleperf(
    machine: &Machine,
    pid: u32,
    words: &[&str],
    connection: &mut UnixStream,
) -> io::Result<Option<Reply>> {
    let (folder, words) = words.split_first().ok_or(io::ErrorKind::InvalidData)?;
    Ok(Some(match words {
        ["record", rest @ ..] => return record::record(machine, (pid, folder), rest, connection),
        ["report-sample", rest @ ..] => report::report(&machine.state, folder, rest),
        [] | ["help" | "-h" | "--help", ..] => Reply::output(USAGE),
        ["--version"] => success_reply("command.cpp", "Simpleperf version 1.build.virtual"),
        [other, ..] => failure_reply(
            "command.cpp",
            &format!("malformed command line: unknown command {other}"),
        ),
    }))
}

//! `simpleperf`, as Android has it in its system from release 10 on: `record` and
//! `report-sample`, with the options, messages and exit codes of the real tool, as far as the
//! board has what they are about. See `docs/virtual-board-simpleperf.md`.

mod options;
mod record;
mod report;

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use super::{Machine, Reply};

const USAGE: &str = "Usage: simpleperf [common options] subcommand [args_for_subcommand]\n\
    subcommands:\n    record              record sampling info in perf.data\n    \
    report-sample       report raw sample information in perf.data\n";

/// `simpleperf COMMAND ...`. The first word is the folder in which it was called.
pub(super) fn simpleperf(
    machine: &Arc<Machine>,
    pid: u32,
    words: &[&str],
    connection: &mut UnixStream,
) -> io::Result<Option<Reply>> {
    let (folder, words) = words.split_first().ok_or(io::ErrorKind::InvalidData)?;
    Ok(Some(match words {
        ["record", rest @ ..] => return record::record(machine, (pid, folder), rest, connection),
        ["report-sample", rest @ ..] => report::report(machine, folder, rest),
        [] | ["help" | "-h" | "--help", ..] => Reply::output(USAGE),
        ["--version"] => told("command.cpp", "Simpleperf version 1.build.virtual"),
        [other, ..] => {
            refused("command.cpp", &format!("malformed command line: unknown command {other}"))
        }
    }))
}

/// A line of the tool's own log, with the file that writes it there; its line is not said.
fn log_line(level: char, file: &str, message: &str) -> String {
    format!("simpleperf {level} {file}:1] {message}\n")
}

/// What it says when all is well goes to standard error, too.
fn told(file: &str, message: &str) -> Reply {
    Reply { error: log_line('I', file, message), ..Reply::default() }
}

fn refused(file: &str, message: &str) -> Reply {
    Reply { error: log_line('E', file, message), code: 1, ..Reply::default() }
}

/// The path of a file that was named in a folder of the board.
fn path_in(folder: &str, name: &str) -> String {
    if name.starts_with('/') { name.to_owned() } else { format!("{folder}/{name}") }
}

//! The board's own commands as programs of its shell: one executable under all their names, which
//! sends its arguments to the board and prints the reply. It runs hundreds of times in a session,
//! so it does nothing else, and is a program of its own (`wattline-board-command`); where that is
//! not beside `wattline`, `wattline` acts as it.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use rustix::process::{Signal, getppid, kill_current_process_group, kill_process};
use signal_hook::consts::{SIGINT, SIGTERM};

use super::jail::{INIT, init};
use super::wire::{ReplyFrame, SOCKET, SOCKET_VARIABLE, write_request};

/// Names of the executable in `/system/bin`.
pub(super) const COMMANDS: [&str; 21] = [
    "am",
    "cmd",
    "date",
    "dumpsys",
    "getprop",
    "input",
    "log",
    "logcat",
    "pidof",
    "pm",
    "ps",
    "run-as",
    "setprop",
    "settings",
    "simpleperf",
    "sleep",
    "svc",
    "sync",
    "taskset",
    "usleep",
    "wm",
];

/// Acts as one of the board's commands if the program was started as one (by its name and the
/// board's environment) and returns its exit code. To be called before anything else.
pub fn run_if_shim() -> Option<ExitCode> {
    let socket = env::var_os(SOCKET_VARIABLE)?;
    let mut arguments: Vec<OsString> = env::args_os().collect();
    let name = Path::new(arguments.first()?).file_name()?.to_str()?.to_owned();
    if name == INIT {
        return Some(init::run(&arguments));
    }
    if !COMMANDS.contains(&name.as_str()) {
        return None;
    }
    if let Some((first, rest)) = pinned_command(&name, &arguments) {
        let error = Command::new(first).args(rest).exec();
        eprintln!("taskset: {}: {error}", first.display());
        return Some(ExitCode::from(127));
    }
    if let Err(error) = spool_input(&name, &mut arguments, &socket) {
        eprintln!("{name}: cannot keep the input: {error}");
        return Some(ExitCode::from(1));
    }
    if name == "run-as" {
        return Some(run_as(&arguments, &socket));
    }
    if name == "simpleperf" {
        return Some(simpleperf(arguments, &socket));
    }
    Some(
        run_on_board(&name, &arguments, &socket)
            .map_or_else(|_| end_without_board(), ExitCode::from),
    )
}

/// Command and arguments of `taskset MASK COMMAND ...`, which runs without a mask: cores are
/// simulated.
fn pinned_command<'a>(
    name: &str,
    arguments: &'a [OsString],
) -> Option<(&'a OsString, &'a [OsString])> {
    let first = arguments.get(1)?;
    if name != "taskset" || first.as_bytes().starts_with(b"-") {
        return None;
    }
    arguments.get(2..)?.split_first()
}

/// `run-as PACKAGE COMMAND ...`: runs the command in the package's folder, if the board allows it.
fn run_as(arguments: &[OsString], socket: &OsString) -> ExitCode {
    match run_on_board("run-as", arguments, socket) {
        Ok(0) => {}
        Ok(code) => return ExitCode::from(code),
        Err(_) => return end_without_board(),
    }
    let [_, package, command, rest @ ..] = arguments else { return ExitCode::from(1) };
    let prefix = socket.as_bytes().strip_suffix(SOCKET.as_bytes()).unwrap_or_default();
    let data = OsString::from_vec([prefix, b"/data/data/", package.as_bytes()].concat());
    let error = Command::new(command).args(rest).current_dir(data).exec();
    eprintln!("run-as: exec failed for {}: {error}", command.display());
    ExitCode::from(1)
}

/// Copies a package on standard input (`install -S SIZE`) to a file, whose name replaces the size
/// among the arguments.
fn spool_input(name: &str, arguments: &mut [OsString], socket: &OsString) -> io::Result<()> {
    let Some(at) = arguments.iter().position(|word| word == "-S") else { return Ok(()) };
    let Some(size) = arguments.get(at + 1).and_then(|size| size.to_str()?.parse::<u64>().ok())
    else {
        return Ok(());
    };
    if name != "pm" && name != "cmd" {
        return Ok(());
    }
    let file = format!("/data/local/tmp/install-{}.apk", std::process::id());
    let prefix = socket.as_bytes().strip_suffix(SOCKET.as_bytes()).unwrap_or_default();
    let path = OsString::from_vec([prefix, file.as_bytes()].concat());
    io::copy(&mut io::stdin().lock().take(size), &mut File::create(&path)?)?;
    arguments[at + 1] = path;
    Ok(())
}

/// `simpleperf ...`: sends the board the working folder, too, since simpleperf reads and writes
/// files; `record` waits for signals to stop.
fn simpleperf(mut arguments: Vec<OsString>, socket: &OsString) -> ExitCode {
    let folder = env::current_dir().unwrap_or_else(|_| "/".into());
    arguments.insert(1, folder.into_os_string());
    let stops = arguments.get(2).is_some_and(|word| word == "record").then(stop_signal_pipe);
    match stops.transpose() {
        Ok(stops) => run_on_board_until(stops, "simpleperf", &arguments, socket)
            .map_or_else(|_| end_without_board(), ExitCode::from),
        Err(error) => {
            eprintln!("simpleperf: cannot await signals: {error}");
            ExitCode::from(1)
        }
    }
}

/// Pipe that becomes readable with the first SIGINT or SIGTERM. Reading a pipe is one of the ways
/// of waiting in which the clock goes on.
fn stop_signal_pipe() -> io::Result<File> {
    let (stopped, stop) = rustix::pipe::pipe()?;
    for signal in [SIGINT, SIGTERM] {
        signal_hook::low_level::pipe::register(signal, stop.try_clone()?)?;
    }
    Ok(stopped.into())
}

/// Sends a command to the board, prints its outputs, and returns its exit code.
fn run_on_board(name: &str, arguments: &[OsString], socket: &OsString) -> io::Result<u8> {
    run_on_board_until(None, name, arguments, socket)
}

/// As [`run_on_board`]; where the board awaits a request to stop, it is sent when `stopped` becomes
/// readable.
fn run_on_board_until(
    stopped: Option<File>,
    name: &str,
    arguments: &[OsString],
    socket: &OsString,
) -> io::Result<u8> {
    let mut board = UnixStream::connect(Path::new(socket))?;
    let mut words = vec![name.as_bytes().to_vec()];
    words.extend(arguments.iter().skip(1).map(|word| word.as_bytes().to_vec()));
    write_request(&mut board, &words)?;
    loop {
        // Whoever reads the output may be gone: the answer is still waited for.
        match ReplyFrame::read_from(&mut board)? {
            ReplyFrame::Output(bytes) => drop(io::stdout().write_all(&bytes)),
            ReplyFrame::Error(bytes) => drop(io::stderr().write_all(&bytes)),
            ReplyFrame::AwaitStop => {
                let mut stopped = stopped.as_ref().ok_or(io::ErrorKind::InvalidData)?;
                stopped.read_exact(&mut [0])?;
                board.write_all(&[0])?;
            }
            ReplyFrame::Exit(code) => {
                io::stdout().flush().ok();
                return Ok(code);
            }
        }
    }
}

/// Ends the calling shell and its group after the board is gone: a script would otherwise go on for
/// ever, with sleeps that take no time.
fn end_without_board() -> ExitCode {
    if let Some(parent) = getppid().filter(|pid| !pid.is_init()) {
        kill_process(parent, Signal::KILL).ok();
    }
    kill_current_process_group(Signal::KILL).ok();
    ExitCode::from(255)
}

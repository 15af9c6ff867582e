//! `log` and `logcat`.

use std::io;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::reply::Reply;
use crate::adb::AdbdGeneration;
use crate::board_state::BoardState;
use crate::log_buffer::{BufferedLine, LogFilter, LogFormat};
use crate::machine::Machine;
use crate::wire::{CommandRequest, ReplyFrame};

/// `log [-p PRIORITY] [-t TAG] MESSAGE...`.
pub(super) fn log(board: &BoardState, request: &CommandRequest, words: &[&str]) -> Reply {
    let (mut level, mut tag, mut rest) = ('I', "log", words);
    loop {
        rest = match rest {
            ["-p", priority, more @ ..] => {
                level = priority.chars().next().unwrap_or('I').to_ascii_uppercase();
                more
            }
            ["-t", name, more @ ..] => {
                tag = name;
                more
            }
            _ => break,
        };
    }
    board.log(level, tag, request.pid, &rest.join(" "));
    Reply::default()
}

/// Parsed options of `logcat`.
struct LogcatOptions {
    format: LogFormat,
    filter: LogFilter,
    clear: bool,
    dump: bool,
    /// Number of last lines to print (`-t`).
    last: Option<usize>,
    /// Whether to print the size of the buffer (`-g`).
    tell_size: bool,
    /// New size of the buffer in bytes (`-G`).
    size: Option<usize>,
}

/// API level from which `-G` resizes the buffer.
const RESIZES: u32 = 21;

/// `logcat [-d] [-c] [-v FORMAT] [-s] [-t COUNT] [-b BUFFER] [-g] [-G SIZE] [FILTER...]`.
pub(super) fn logcat(
    machine: &Machine,
    pid: u32,
    words: &[&str],
    connection: &mut UnixStream,
) -> io::Result<Option<Reply>> {
    let wanted = match parse_options(words, machine.state.mode, machine.state.file.sdk) {
        Ok(wanted) => wanted,
        Err(problem) => return Ok(Some(Reply::failure(format!("logcat: {problem}")))),
    };
    machine.apps.log_outputs();
    if let Some(bytes) = wanted.size {
        machine.state.log.resize(bytes);
        return Ok(Some(Reply::default()));
    }
    if wanted.tell_size {
        return Ok(Some(Reply::output(size_answer(&machine.state))));
    }
    if wanted.clear {
        machine.state.log.clear();
        return Ok(Some(Reply::default()));
    }
    if wanted.dump {
        return Ok(Some(Reply::output(formatted_lines(
            &machine.state,
            &wanted,
            &selected_lines(&machine.state, &wanted),
        ))));
    }
    follow(&machine.state, pid, &wanted, connection)
}

/// Answer of `-g`, in the words of the board's release.
fn size_answer(board: &BoardState) -> String {
    let (used, all) = board.log.used_and_available_bytes();
    let [used, all] = [used, all].map(|bytes| bytes / 1024);
    match board.file.sdk < RESIZES {
        true => format!(
            "/dev/log/main: ring buffer is {all}Kb ({used}Kb consumed), max entry is 5120b, max \
             payload is 4076b\n"
        ),
        false => format!(
            "main: ring buffer is {all} KiB ({used} KiB consumed, {used} KiB readable), max entry \
             is 5120 B, max payload is 4068 B\n"
        ),
    }
}

/// Parses a size in bytes: `65536`, `256K`, `16M`.
fn parse_bytes(text: &str) -> Option<usize> {
    let (digits, unit) = match text.strip_suffix(['K', 'M']) {
        Some(digits) if text.ends_with('K') => (digits, 1024),
        Some(digits) => (digits, 1024 * 1024),
        None => (text, 1),
    };
    digits.parse::<usize>().ok()?.checked_mul(unit)
}

/// Parses the arguments of `logcat`.
fn parse_options(words: &[&str], mode: AdbdGeneration, sdk: u32) -> Result<LogcatOptions, String> {
    let format =
        if mode == AdbdGeneration::Legacy { LogFormat::Brief } else { LogFormat::Threadtime };
    let mut wanted = LogcatOptions {
        format,
        filter: LogFilter::default(),
        clear: false,
        dump: false,
        last: None,
        tell_size: false,
        size: None,
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().copied().ok_or(format!("{word} wants a value"));
        match *word {
            "-d" => wanted.dump = true,
            "-c" => wanted.clear = true,
            "-g" => wanted.tell_size = true,
            "-G" if sdk >= RESIZES => {
                let size = value()?;
                wanted.size =
                    Some(parse_bytes(size).ok_or(format!("Invalid parameter {size} to -G"))?);
            }
            "-v" => {
                let name = value()?;
                wanted.format = LogFormat::from_name(name)
                    .ok_or_else(|| format!("Invalid parameter {name} to -v"))?;
            }
            "-s" => drop(wanted.filter.add("*:S")),
            "-b" => drop(value()?),
            "-t" => {
                let count = value()?;
                wanted.last = Some(count.parse().map_err(|_| format!("-t {count}: no number"))?);
                wanted.dump = true;
            }
            option if option.starts_with('-') => return Err(format!("unknown option {option}")),
            filter if wanted.filter.add(filter) => {}
            filter => return Err(format!("Invalid filter expression '{filter}'")),
        }
    }
    Ok(wanted)
}

/// Lines of the log that the options select.
fn selected_lines(board: &BoardState, wanted: &LogcatOptions) -> Vec<BufferedLine> {
    let mut lines = board.log.read(board.clock.now_ns(), &wanted.filter);
    if let Some(last) = wanted.last {
        lines.drain(..lines.len().saturating_sub(last));
    }
    lines
}

/// Lines in the format of the options.
fn formatted_lines(board: &BoardState, wanted: &LogcatOptions, lines: &[BufferedLine]) -> String {
    let boot = board.boot_epoch_ns();
    lines.iter().map(|line| line.to_text(wanted.format, boot)).collect()
}

/// Prints new lines until the reader is gone or the board ends.
fn follow(
    board: &BoardState,
    pid: u32,
    wanted: &LogcatOptions,
    connection: &mut UnixStream,
) -> io::Result<Option<Reply>> {
    let mut printed = 0;
    while !board.clock.is_stopped() {
        let added = board.log.added_count();
        let lines = selected_lines(board, wanted);
        // The log may have been cleared.
        printed = printed.min(lines.len());
        if printed < lines.len() {
            let text = formatted_lines(board, wanted, &lines[printed..]);
            ReplyFrame::Output(text.into_bytes()).write_to(connection)?;
            printed = lines.len();
        }
        board.clock.set_parked(pid, true);
        board.log.wait_for_line(added, Duration::from_millis(200));
        board.clock.set_parked(pid, false);
    }
    Ok(None)
}

//! `simpleperf record`.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use super::messages::{failure_reply, log_line};
use super::options::{self, ClockId, RecordOptions};
use super::paths::path_in;
use crate::board_state::BoardState;
use crate::commands::reply::Reply;
use crate::machine::Machine;
use crate::package::files;
use crate::sampler::report::{ReportFileKind, ReportMetaInfo, encode_records};
use crate::sampler::{FinishedRecording, RecordingRequest, RecordingTarget};
use crate::wire::ReplyFrame;

/// Source file of the real tool that most of its messages name.
const SOURCE: &str = "cmd_record.cpp";
/// Event that samples count where there are no hardware events.
const FALLBACK: &str = "cpu-clock";
/// Exit code of a process that SIGINT has ended.
const INTERRUPTED: u8 = 130;

/// Records until the duration is over, a stop is requested, or the application has ended; then
/// writes the file.
pub(super) fn record(
    machine: &Machine,
    (pid, folder): (u32, &str),
    words: &[&str],
    connection: &mut UnixStream,
) -> io::Result<Option<Reply>> {
    let options = match options::parse(words) {
        Ok(options) => options,
        Err(problem) => return Ok(Some(failure_reply(SOURCE, &problem))),
    };
    let file = path_in(folder, &options.file);
    if let Some(refusal) = refusal_reply(machine, &options, &file) {
        return Ok(Some(refusal));
    }
    let recording = machine.start_recording(recording_request(pid, &options));
    let waits = recording.is_waiting();
    let ended =
        send_start_messages(connection, &options, waits).and_then(|()| await_stop(connection));
    machine.recordings.remove(&recording);
    let recorded = recording.finish(&machine.state.clock);
    // Its command is gone: nobody wants the file.
    ended?;
    Ok(Some(match recorded {
        Some(recorded) => write_recording(machine, &options, &file, (&recorded, waits)),
        None => Reply { code: INTERRUPTED, ..Reply::default() },
    }))
}

/// Recording that the options describe.
fn recording_request(command: u32, options: &RecordOptions) -> RecordingRequest {
    RecordingRequest {
        command,
        target: options.target.clone(),
        event: options.event.clone().unwrap_or_else(|| FALLBACK.to_owned()),
        rate_hz: options.rate_hz,
        duration_ns: options.duration_ns,
        callchain: options.callchain,
    }
}

/// Reply that refuses the recording: no such process or package, or no place for the file.
fn refusal_reply(machine: &Machine, options: &RecordOptions, file: &str) -> Option<Reply> {
    let package = match &options.target {
        RecordingTarget::Package(package) => package.clone(),
        RecordingTarget::Process(pid) => {
            let mut running = machine.apps.running().into_iter();
            let Some((_, package)) = running.find(|(number, _)| number == pid) else {
                return Some(failure_reply(SOURCE, &format!("Can't find process/thread {pid}")));
            };
            package
        }
    };
    if app_type(machine, &package).is_none() {
        let problem = format!("Package {package} doesn't exist or isn't debuggable/profileable.");
        return Some(failure_reply("environment.cpp", &problem));
    }
    let parent = file.rsplit_once('/').map_or("/", |(parent, _)| parent);
    let problem = match machine.state.folder.list(parent).is_ok() {
        false => "No such file or directory",
        true if machine.state.is_disk_full() => "No space left on device",
        true => return None,
    };
    let folder = options.file.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let problem = format!("Can't create output file in directory {folder}: {problem}");
    Some(failure_reply(SOURCE, &problem))
}

/// Kind of package that the shell may profile; `None` if it may not. A jar, which has no manifest,
/// counts as profileable.
fn app_type(machine: &Machine, name: &str) -> Option<&'static str> {
    match machine.android.find(name) {
        Some(installed) if installed.facts.debuggable => Some("debuggable"),
        Some(installed) => installed.facts.profileable.then_some("profileable"),
        None => files::find_package(&machine.state.folder, name).map(|_| "profileable"),
    }
}

/// Sends the messages of a recording's start.
fn send_start_messages(
    connection: &mut UnixStream,
    options: &RecordOptions,
    waits: bool,
) -> io::Result<()> {
    let mut text = String::new();
    if options.event.is_none() {
        let line = format!("Hardware events are not available, switch to {FALLBACK}.");
        text += &log_line('I', SOURCE, &line);
    }
    if let (true, RecordingTarget::Package(package)) = (waits, &options.target) {
        text += &log_line('I', "environment.cpp", &format!("Waiting for process of app {package}"));
    }
    if !text.is_empty() {
        ReplyFrame::Error(text.into_bytes()).write_to(connection)?;
    }
    Ok(())
}

/// Waits until the command reports a request to stop; an error if it is gone.
fn await_stop(connection: &mut UnixStream) -> io::Result<()> {
    ReplyFrame::AwaitStop.write_to(connection)?;
    connection.read_exact(&mut [0])
}

/// Writes the recorded samples to the file and returns the reply.
fn write_recording(
    machine: &Machine,
    options: &RecordOptions,
    file: &str,
    (recorded, waited): (&FinishedRecording, bool),
) -> Reply {
    let package = &recorded.application.package;
    let meta = ReportMetaInfo {
        event_type: vec![recorded.event.clone()],
        app_package_name: Some(package.clone()),
        app_type: app_type(machine, package).map(str::to_owned),
        android_sdk_version: Some(machine.state.file.sdk.to_string()),
        trace_offcpu: Some(false),
    };
    let bytes = encode_records(
        ReportFileKind::Recording,
        &recorded.to_records(meta, offset_ns(&machine.state, options.clock)),
    );
    if let Err(error) = write_board_file(&machine.state, file, &bytes) {
        return failure_reply(SOURCE, &format!("failed to write {}: {error}", options.file));
    }
    let mut error = String::new();
    if waited {
        let line = format!("Got process {} for package {package}", recorded.application.pid);
        error += &log_line('I', "environment.cpp", &line);
    }
    let seconds = recorded.duration_ns as f64 / 1e9;
    let line = format!("Recorded for {seconds} seconds. Start post processing.");
    error += &log_line('I', SOURCE, &line);
    let count = with_commas(recorded.samples.len());
    error += &log_line('I', SOURCE, &format!("Samples recorded: {count}. Samples lost: 0."));
    Reply { error, ..Reply::default() }
}

/// Writes a file of the board, unless the disk is full.
fn write_board_file(board: &BoardState, file: &str, bytes: &[u8]) -> io::Result<()> {
    if board.is_disk_full() {
        return Err(io::ErrorKind::StorageFull.into());
    }
    board.folder.write(file, bytes)
}

/// Offset in nanoseconds from the board's time since boot to the time of a clock.
fn offset_ns(board: &BoardState, clock: ClockId) -> i128 {
    match clock {
        ClockId::Boot => 0,
        ClockId::Real => board.boot_epoch_ns() as i128 + i128::from(board.moved_ns()),
    }
}

/// Number with a comma after each thousand.
fn with_commas(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::with_commas;

    #[test]
    fn numbers_have_commas() {
        for (count, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(with_commas(count), expected);
        }
    }
}

//! `simpleperf record`.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use super::messages::{log_line, refused};
use super::options::{self, ClockId, RecordOptions};
use super::paths::path_in;
use crate::board_state::BoardState;
use crate::commands::reply::Reply;
use crate::machine::Machine;
use crate::package::files;
use crate::sampler::report::{ReportForm, ReportMetaInfo, encode};
use crate::sampler::{FinishedRecording, RecordingRequest, RecordingTarget};
use crate::wire::ReplyFrame;

/// The file of the real tool that most of its lines name.
const SOURCE: &str = "cmd_record.cpp";
/// What samples are counted by where the processor counts no events.
const FALLBACK: &str = "cpu-clock";
/// The exit code of a process that SIGINT has ended.
const INTERRUPTED: u8 = 130;

/// Records until the duration is over, it is asked to stop, or the application has ended;
/// then writes the file.
pub(super) fn record(
    machine: &Machine,
    (pid, folder): (u32, &str),
    words: &[&str],
    connection: &mut UnixStream,
) -> io::Result<Option<Reply>> {
    let options = match options::parse(words) {
        Ok(options) => options,
        Err(problem) => return Ok(Some(refused(SOURCE, &problem))),
    };
    let file = path_in(folder, &options.file);
    if let Some(refusal) = refusal(machine, &options, &file) {
        return Ok(Some(refusal));
    }
    let recording = machine.record(wanted(pid, &options));
    let waits = recording.is_waiting();
    let ended = say_first(connection, &options, waits).and_then(|()| stopped(connection));
    machine.recordings.remove(&recording);
    let recorded = recording.finish(&machine.state.clock);
    // Its command is gone: nobody wants the file.
    ended?;
    Ok(Some(match recorded {
        Some(recorded) => write(machine, &options, &file, (&recorded, waits)),
        None => Reply { code: INTERRUPTED, ..Reply::default() },
    }))
}

fn wanted(command: u32, options: &RecordOptions) -> RecordingRequest {
    RecordingRequest {
        command,
        target: options.target.clone(),
        event: options.event.clone().unwrap_or_else(|| FALLBACK.to_owned()),
        rate_hz: options.rate_hz,
        duration_ns: options.duration_ns,
        callchain: options.callchain,
    }
}

/// Why there is nothing to record, or no place for it.
fn refusal(machine: &Machine, options: &RecordOptions, file: &str) -> Option<Reply> {
    let package = match &options.target {
        RecordingTarget::Package(package) => package.clone(),
        RecordingTarget::Process(pid) => {
            let mut running = machine.apps.running().into_iter();
            let Some((_, package)) = running.find(|(number, _)| number == pid) else {
                return Some(refused(SOURCE, &format!("Can't find process/thread {pid}")));
            };
            package
        }
    };
    if app_type(machine, &package).is_none() {
        let problem = format!("Package {package} doesn't exist or isn't debuggable/profileable.");
        return Some(refused("environment.cpp", &problem));
    }
    let parent = file.rsplit_once('/').map_or("/", |(parent, _)| parent);
    let problem = match machine.state.folder.list(parent).is_ok() {
        false => "No such file or directory",
        true if machine.state.is_disk_full() => "No space left on device",
        true => return None,
    };
    let folder = options.file.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let problem = format!("Can't create output file in directory {folder}: {problem}");
    Some(refused(SOURCE, &problem))
}

/// How the shell may profile a package; none if it may not. A jar may be, having no manifest
/// that says otherwise.
fn app_type(machine: &Machine, name: &str) -> Option<&'static str> {
    match machine.android.find(name) {
        Some(installed) if installed.facts.debuggable => Some("debuggable"),
        Some(installed) => installed.facts.profileable.then_some("profileable"),
        None => files::find(&machine.state.folder, name).map(|_| "profileable"),
    }
}

fn say_first(connection: &mut UnixStream, options: &RecordOptions, waits: bool) -> io::Result<()> {
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

/// Waits until the command says that it is to stop; an error if it is gone.
fn stopped(connection: &mut UnixStream) -> io::Result<()> {
    ReplyFrame::Await.write_to(connection)?;
    connection.read_exact(&mut [0])
}

fn write(
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
    let bytes = encode(
        ReportForm::Recording,
        &recorded.records(meta, offset_ns(&machine.state, options.clock)),
    );
    if let Err(error) = save(&machine.state, file, &bytes) {
        return refused(SOURCE, &format!("failed to write {}: {error}", options.file));
    }
    let mut error = String::new();
    if waited {
        let line = format!("Got process {} for package {package}", recorded.application.pid);
        error += &log_line('I', "environment.cpp", &line);
    }
    let seconds = recorded.duration_ns as f64 / 1e9;
    let line = format!("Recorded for {seconds} seconds. Start post processing.");
    error += &log_line('I', SOURCE, &line);
    let count = readable(recorded.samples.len());
    error += &log_line('I', SOURCE, &format!("Samples recorded: {count}. Samples lost: 0."));
    Reply { error, ..Reply::default() }
}

fn save(board: &BoardState, file: &str, bytes: &[u8]) -> io::Result<()> {
    if board.is_disk_full() {
        return Err(io::ErrorKind::StorageFull.into());
    }
    board.folder.write(file, bytes)
}

/// A clock's time less that of the board since boot.
fn offset_ns(board: &BoardState, clock: ClockId) -> i128 {
    match clock {
        ClockId::Boot => 0,
        ClockId::Real => board.boot_epoch_ns() as i128 + i128::from(board.moved_ns()),
    }
}

/// A number with a comma after each thousand.
fn readable(count: usize) -> String {
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
    use super::readable;

    #[test]
    fn numbers_have_commas() {
        for (count, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(readable(count), expected);
        }
    }
}

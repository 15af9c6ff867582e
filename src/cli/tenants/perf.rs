//! `wattline tenants perf`: context switches from the text of `perf script`, ftrace or
//! `trace-cmd report`.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use clap::{Args, ValueEnum};
use wattline_units::limits::LINE_BYTES;

use crate::attribution::tenants::{
    AndroidRecords, MeterId, PerfReader, TenantRecord, ThreadGrouping, parse_readings,
};
use crate::attribution::unpack_log;
use crate::cli::progress;
use crate::failure::Failure;
use crate::format::{counted, counted_as, visible_path};
use crate::{input_file, log_file};

use super::options::StreamArguments;
use super::session::TenantSession;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  perf script --show-lost-events | wattline tenants perf - --watts 15:5
  wattline tenants perf switches.txt --by process --energy meter.csv
  perf record -o - -e sched:sched_switch -a | perf script -i - | wattline tenants perf - --follow
  wattline tenants perf perf.data --watts 15:5

docs/reference/tenants-logs.md shows how to record with counters, and the columns of a meter's
table.")]
pub struct Arguments {
    /// The text, packed or not, a recording of perf, or `-` for standard input.
    file: PathBuf,
    /// What a tenant is. Processes need lines with pid/tid (`perf script -F ...,pid,tid,...`).
    #[arg(long, value_enum, default_value_t = PerfTenant::Name)]
    by: PerfTenant,
    /// A meter's log in the clock of the switches.
    #[arg(long, value_name = "CSV", conflicts_with = "watts")]
    energy: Option<PathBuf>,
    #[command(flatten)]
    stream: StreamArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PerfTenant {
    /// Threads of one name.
    Name,
    /// A process.
    Process,
    /// A thread.
    Thread,
}

impl From<PerfTenant> for ThreadGrouping {
    fn from(tenant: PerfTenant) -> ThreadGrouping {
        match tenant {
            PerfTenant::Name => ThreadGrouping::Name,
            PerfTenant::Process => ThreadGrouping::Process,
            PerfTenant::Thread => ThreadGrouping::Thread,
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let readings = match &arguments.energy {
        Some(path) => {
            let log = input_file::read(path).map_err(Failure::io("read", path))?;
            let readings = parse_readings(&log).map_err(|error| Failure::input(path, error))?;
            progress::print_remarks(path, &readings.remarks);
            readings.samples
        }
        None => Vec::new(),
    };
    let options = arguments.stream.options(arguments.energy.is_some())?;
    let mut session = TenantSession::open(&arguments.stream, options)?;
    let meter = arguments.energy.as_ref().map(|path| {
        session.stream.add_meter(&path.display().to_string(), AndroidRecords::counter())
    });
    let mut log = MeterLog { meter, readings, ..MeterLog::default() };
    let mut perf = PerfReader::new(arguments.by.into());
    let mut text = open_text(arguments)?;
    feed_lines(&arguments.file, &mut text.lines, &mut perf, &mut log, &mut session)?;
    text.check_printer(arguments, perf.switches())?;
    check_text(arguments, &perf, &text.shown)?;
    session.incomplete.extend(unreadable_note(&perf, session.stream.troubles().unreadable));
    let first_ns = session.stream.first_ns().unwrap_or(0);
    let log_note = log.note(first_ns, session.stream.newest_ns());
    let notes: Vec<String> = perf_notes(&perf).into_iter().chain(log_note).collect();
    session.finish(&arguments.file.display().to_string(), &notes)
}

/// Reads all lines of a file, with the meter's readings in their order.
fn feed_lines(
    path: &Path,
    lines: &mut dyn BufRead,
    perf: &mut PerfReader,
    log: &mut MeterLog,
    session: &mut TenantSession<'_>,
) -> Result<(), Failure> {
    let (mut line, mut records) = (Vec::new(), Vec::new());
    loop {
        let read = LINE_BYTES.read_line_into(&mut &mut *lines, &mut line);
        if read.map_err(Failure::io("read", path))? == 0 {
            perf.finish(|record| records.push(record));
        } else {
            let text = String::from_utf8_lossy(&line);
            let troubles = session.stream.troubles_mut();
            perf.line(&text, &mut session.names, troubles, |record| records.push(record));
        }
        if session.table.counters.len() < perf.counters().len() {
            session.table.counters = perf.counters().to_vec();
        }
        for record in records.drain(..) {
            while let Some(reading) = record.at_ns().and_then(|now_ns| log.next_due(now_ns)) {
                session.take(reading)?;
            }
            session.take(record)?;
        }
        if line.is_empty() {
            break;
        }
    }
    // All that the meter told after the last switch is energy of the log too: of nobody.
    while let Some(reading) = log.next_due(u64::MAX) {
        session.take(reading)?;
    }
    Ok(())
}

/// Checks that the text has what the arguments need.
fn check_text(arguments: &Arguments, perf: &PerfReader, shown: &Path) -> Result<(), Failure> {
    if perf.switches() == 0 {
        return Err(no_switches_failure(perf, shown));
    }
    if matches!(arguments.by, PerfTenant::Process) && !perf.has_processes() {
        let text = "its lines tell threads, not processes, which --by process needs; print them \
                    with `perf script -F comm,pid,tid,cpu,time,event,trace`";
        return Err(Failure::input(shown, text));
    }
    Ok(())
}

fn perf_notes(perf: &PerfReader) -> Vec<String> {
    let mut notes = Vec::new();
    if !perf.has_cycles() {
        notes.push("no cycles were counted: shared by CPU time".to_owned());
    }
    if perf.inferred_cpu_switches() > 0 {
        notes.push(format!(
            "{} no CPU (`-F ...,cpu,...` prints it): it follows from who ran where",
            counted_as(perf.inferred_cpu_switches(), "switch names", "switches name")
        ));
    }
    notes
}

/// Log of a meter, read in step with the switches.
#[derive(Default)]
struct MeterLog {
    /// None without a log.
    meter: Option<MeterId>,
    /// (ns, microjoules), in order of time.
    readings: Vec<(u64, u64)>,
    next: usize,
}

impl MeterLog {
    /// Returns the next reading that is not after `now_ns`.
    fn next_due(&mut self, now_ns: u64) -> Option<TenantRecord> {
        let (at_ns, reading) =
            *self.readings.get(self.next).filter(|reading| reading.0 <= now_ns)?;
        self.next += 1;
        Some(TenantRecord::Energy { at_ns, meter: self.meter?, reading })
    }

    /// Returns a note if the meter's log is of another time than the switches.
    fn note(&self, from_ns: u64, to_ns: u64) -> Option<String> {
        let (first, last) = (self.readings.first()?.0, self.readings.last()?.0);
        if first <= to_ns && last >= from_ns {
            return None;
        }
        let s = |ns: u64| ns as f64 * 1e-9;
        Some(format!(
            "the meter's log is of {:.3} s to {:.3} s, the switches of {:.3} s to {:.3} s: \
             time_s has to be in their clock",
            s(first),
            s(last),
            s(from_ns),
            s(to_ns)
        ))
    }
}

/// Text of switches, from a file or printed by `perf`.
struct SwitchText {
    lines: Box<dyn BufRead>,
    /// What errors about it name.
    shown: PathBuf,
    /// `perf script`, where it prints a recording.
    printer: Option<Child>,
}

impl SwitchText {
    /// Waits for the end of `perf script`; an error if it failed without printing switches.
    fn check_printer(&mut self, arguments: &Arguments, switches: u64) -> Result<(), Failure> {
        let Some(printer) = &mut self.printer else { return Ok(()) };
        let status = printer.wait().map_err(Failure::io("run perf for", &arguments.file))?;
        if status.success() || switches > 0 {
            return Ok(());
        }
        let text = format!(
            "`perf script` can't print it ({status}); print it where it was recorded, and give \
             the text"
        );
        Err(Failure::input(&self.shown, text))
    }
}

/// Opens the lines of a text, or of a recording as `perf` prints it.
fn open_text(arguments: &Arguments) -> Result<SwitchText, Failure> {
    let path = arguments.file.as_path();
    if path == Path::new("-") {
        let lines = unpack_log(io::stdin()).map_err(Failure::io("read", path))?;
        return Ok(SwitchText { lines, shown: path.to_owned(), printer: None });
    }
    let wrong = |error| Failure::input(path, error);
    let log = log_file::find_text_log(path, "text of switches").map_err(wrong)?;
    let (shown, mut lines) = (log.display_path(path), log.open().map_err(wrong)?);
    // What comes through a pipe is read once.
    let start = lines.fill_buf().map_err(Failure::io("read", path))?;
    if start.starts_with(b"PERFILE2") {
        return print_recording(arguments, shown);
    }
    match why_no_text(start) {
        Some(what) => Err(Failure::input(&shown, what)),
        None => Ok(SwitchText { lines, shown, printer: None }),
    }
}

/// Returns what a file is that is no text of switches, and the remedy.
fn why_no_text(start: &[u8]) -> Option<&'static str> {
    if log_file::is_trace(start) {
        return Some("it is a Perfetto trace: `wattline tenants perfetto` reads it");
    }
    if start.starts_with(b"\x17\x08\x44tracing") {
        return Some("it is a recording of trace-cmd: print it with `trace-cmd report`");
    }
    None
}

/// Opens a recording of perf as perf itself prints it, since its format is perf's own.
fn print_recording(arguments: &Arguments, shown: PathBuf) -> Result<SwitchText, Failure> {
    let mut command = Command::new("perf");
    command.args(["script", "--show-lost-events", "-i"]).arg(&arguments.file);
    if matches!(arguments.by, PerfTenant::Process) {
        command.args(["-F", "comm,pid,tid,cpu,time,period,event,trace"]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut printer = command.spawn().map_err(|error| {
        let text = format!(
            "it is a recording of perf, which prints it, and perf can't be run here ({error}): \
             give the text of `perf script --show-lost-events`"
        );
        Failure::input(&shown, text)
    })?;
    let lines: Box<dyn BufRead> = match printer.stdout.take() {
        Some(output) => Box::new(BufReader::new(output)),
        None => Box::new(io::empty()),
    };
    Ok(SwitchText { lines, shown, printer: Some(printer) })
}

/// Returns a note on the first unreadable line and the number of all.
fn unreadable_note(perf: &PerfReader, lines: u64) -> Option<String> {
    let (number, text) = perf.first_unreadable()?;
    let lines = counted(lines, "line");
    Some(format!("{lines} could not be read, the first of them line {number}: {text:?}"))
}

/// Returns the failure of a text without switches; with the remedy for a text that was read.
fn no_switches_failure(perf: &PerfReader, shown: &Path) -> Failure {
    let first = perf.first_unreadable();
    match (first, perf.events()) {
        (Some((number, text)), 0) => Failure::input(
            shown,
            format!(
                "it is no text of `perf script`, ftrace or `trace-cmd report`; line {number} is \
                 {text:?}"
            ),
        ),
        (Some((number, text)), _) => Failure::NoData(format!(
            "{}: no context switch is in what could be read of it; the first line that can't be \
             read is line {number}: {text:?}",
            visible_path(shown)
        )),
        (None, _) => Failure::input(
            shown,
            "it has no sched:sched_switch and no PERF_RECORD_SWITCH_CPU_WIDE; record with `perf \
             sched record`, print with `perf script`",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_come_with_the_switches() {
        let readings = vec![(1, 10), (5, 50), (8, 80), (20, 200)];
        let meter = MeterId(0);
        let mut log = MeterLog { meter: Some(meter), readings, ..MeterLog::default() };
        let energy = |at_ns, reading| Some(TenantRecord::Energy { at_ns, meter, reading });
        assert_eq!(
            (log.next_due(6), log.next_due(6), log.next_due(6)),
            (energy(1, 10), energy(5, 50), None)
        );
        assert_eq!((log.next_due(9), log.next_due(9)), (energy(8, 80), None));
        assert_eq!((log.next_due(u64::MAX), log.next_due(u64::MAX)), (energy(20, 200), None));
        assert_eq!(log.note(6, 9), None);
        assert!(log.note(30, 40).unwrap().contains("in their clock"));
    }
}

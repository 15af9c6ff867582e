//! `wattline tenants perf`: context switches from the text of `perf script`.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use wattline_units::limits::LINE_BYTES;

use crate::attribution::tenants::{
    AndroidRecords, By, Perf, SharingBasis, TenantRecord, parse_readings,
};
use crate::attribution::unpacked;
use crate::log_file;
use crate::stage::Failure;
use crate::stage::folder::read_text;

use super::options::StreamArguments;
use super::session::TenantSession;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  perf sched record -- sleep 10
  perf script --show-lost-events | wattline tenants perf - --watts 15:5
With counters, where the machine has them:
  perf record -e '{sched:sched_switch,cycles,instructions}:S' -a -- sleep 10
  perf script -F comm,pid,tid,cpu,time,period,event,trace --show-lost-events > switches.txt
  wattline tenants perf switches.txt --by process --energy meter.csv
While it runs:
  perf record -o - -e sched:sched_switch -a | perf script -i - | wattline tenants perf - --follow

meter.csv has time_s (of perf's clock) and energy_j (accumulated) or power_w.")]
pub struct Arguments {
    /// The text, or `-` for standard input.
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

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let readings = match &arguments.energy {
        Some(path) => {
            let readings = parse_readings(&read_text(path)?);
            readings.map_err(|error| Failure::input(path, error))?
        }
        None => Vec::new(),
    };
    let options = arguments.stream.options(arguments.energy.is_some())?;
    let mut session = TenantSession::open(&arguments.stream, options)?;
    let meter = arguments
        .energy
        .as_ref()
        .map(|path| session.stream.meter(&path.display().to_string(), AndroidRecords::counter()));
    let mut log = MeterLog { readings, ..MeterLog::default() };
    let mut perf = Perf::new(match arguments.by {
        PerfTenant::Name => By::Name,
        PerfTenant::Process => By::Process,
        PerfTenant::Thread => By::Thread,
    });
    let (mut input, shown) = open(&arguments.file)?;
    let (mut line, mut records) = (Vec::new(), Vec::new());
    loop {
        let read = LINE_BYTES.read_line_into(&mut input, &mut line);
        if read.map_err(Failure::io("read", &arguments.file))? == 0 {
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
            while let (Some(meter), Some(now_ns)) = (meter, record.at_ns())
                && let Some((at_ns, reading)) = log.due(now_ns)
            {
                session.take(TenantRecord::Energy { at_ns, meter, reading })?;
            }
            session.take(record)?;
        }
        if line.is_empty() {
            break;
        }
    }
    // One reading after the last switch closes its interval.
    let last = log.readings.get(log.next).filter(|_| log.next > 0);
    if let (Some(meter), Some(&(at_ns, reading))) = (meter, last) {
        session.take(TenantRecord::Energy { at_ns, meter, reading })?;
    }
    if perf.switches() == 0 {
        let text = "it has no sched:sched_switch and no PERF_RECORD_SWITCH_CPU_WIDE; record \
                    with `perf sched record`, print with `perf script`";
        return Err(Failure::input(&shown, text));
    }
    if matches!(arguments.by, PerfTenant::Process) && !perf.has_processes() {
        let text = "its lines tell threads, not processes, which --by process needs; print them \
                    with `perf script -F comm,pid,tid,cpu,time,event,trace`";
        return Err(Failure::input(&shown, text));
    }
    let basis = if perf.has_cycles() { SharingBasis::Cycles } else { SharingBasis::CpuTime };
    let mut notes = match basis {
        SharingBasis::Cycles => vec![],
        _ => vec!["no cycles were counted: shared by CPU time".to_owned()],
    };
    let first_ns = session.stream.first_ns().unwrap_or(0);
    notes.extend(log.note(first_ns, session.stream.newest_ns()));
    session.finish(&arguments.file.display().to_string(), &notes)
}

/// A meter's log, taken in as the switches come.
#[derive(Default)]
struct MeterLog {
    /// (ns, microjoules), in order of time.
    readings: Vec<(u64, u64)>,
    next: usize,
    is_started: bool,
}

impl MeterLog {
    /// The next reading that is not after `now_ns`. Those before the last one at the first
    /// switch are of no use.
    fn due(&mut self, now_ns: u64) -> Option<(u64, u64)> {
        if !std::mem::replace(&mut self.is_started, true) {
            let before = self.readings.partition_point(|reading| reading.0 <= now_ns);
            let is_over = before == self.readings.len();
            self.next = if is_over { before } else { before.saturating_sub(1) };
        }
        let reading = *self.readings.get(self.next).filter(|reading| reading.0 <= now_ns)?;
        self.next += 1;
        Some(reading)
    }

    /// What to say if it is of another time than the switches.
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

/// The lines, and what errors about them name.
fn open(path: &Path) -> Result<(Box<dyn BufRead>, PathBuf), Failure> {
    if path == Path::new("-") {
        let lines = unpacked(std::io::stdin()).map_err(Failure::io("read", path))?;
        return Ok((lines, path.to_owned()));
    }
    let wrong = |error| Failure::input(path, error);
    let log = log_file::text_log(path, "text of switches").map_err(wrong)?;
    Ok((log.open().map_err(wrong)?, log.shown(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_come_with_the_switches() {
        let readings = vec![(1, 10), (5, 50), (8, 80), (20, 200)];
        let mut log = MeterLog { readings, ..MeterLog::default() };
        assert_eq!((log.due(6), log.due(6)), (Some((5, 50)), None));
        assert_eq!((log.due(9), log.due(9), log.next), (Some((8, 80)), None, 3));
        assert_eq!(log.note(6, 9), None);
        assert!(log.note(30, 40).unwrap().contains("in their clock"));
    }
}

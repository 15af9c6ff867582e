//! `wattline tenants perf`: context switches from the text of `perf script`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::attribution::tenants::{Android, Basis, By, Perf, Record, parse_readings};
use crate::cli::Failure;
use crate::cli::output::read_text;

use super::options::StreamArguments;
use super::session::Session;

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
    #[arg(long, value_enum, default_value_t = Tenant::Name)]
    by: Tenant,
    /// A meter's log in the clock of the switches.
    #[arg(long, value_name = "CSV", conflicts_with = "watts")]
    energy: Option<PathBuf>,
    #[command(flatten)]
    stream: StreamArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Tenant {
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
    let mut session = Session::open(&arguments.stream, options)?;
    let meter = arguments
        .energy
        .as_ref()
        .map(|path| session.stream.meter(&path.display().to_string(), Android::counter()));
    let mut readings = readings.into_iter().peekable();
    let mut perf = Perf::new(match arguments.by {
        Tenant::Name => By::Name,
        Tenant::Process => By::Process,
        Tenant::Thread => By::Thread,
    });
    let mut input = open(&arguments.file)?;
    let (mut line, mut records) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        let read = input.read_until(b'\n', &mut line);
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
            while let Some(meter) = meter
                && let Some((at_ns, reading)) =
                    readings.next_if(|(at, _)| record.at_ns().is_some_and(|now| *at <= now))
            {
                session.take(Record::Energy { at_ns, meter, reading })?;
            }
            session.take(record)?;
        }
        if line.is_empty() {
            break;
        }
    }
    // One reading after the last switch closes its interval.
    if let (Some(meter), Some((at_ns, reading))) = (meter, readings.next()) {
        session.take(Record::Energy { at_ns, meter, reading })?;
    }
    if perf.switches() == 0 {
        let text = "it has no sched:sched_switch and no PERF_RECORD_SWITCH_CPU_WIDE; record \
                    with `perf sched record`, print with `perf script`";
        return Err(Failure::input(&arguments.file, text));
    }
    let basis = if perf.has_cycles() { Basis::Cycles } else { Basis::CpuTime };
    let notes = match basis {
        Basis::Cycles => vec![],
        _ => vec!["no cycles were counted: shared by CPU time".to_owned()],
    };
    session.finish(&arguments.file.display().to_string(), &notes)
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file = File::open(path).map_err(Failure::io("read", path))?;
    Ok(Box::new(BufReader::with_capacity(1 << 18, file)))
}

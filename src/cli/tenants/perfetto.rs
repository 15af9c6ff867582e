//! `wattline tenants perfetto`: applications of a phone, by a trace.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::attribution::monitor::formulas::{SocTable, parse_soc};
use crate::attribution::perfetto::{RailMeter, RecordContent, TraceReader};
use crate::attribution::tenants::{
    AndroidMeters, AndroidRecords, OrderedEvents, RailChoice, SharingBasis, TraceFacts,
    TraceGrouping, WindowStream,
};
use crate::cli::progress;
use crate::failure::Failure;
use crate::folder::read_text;
use crate::format::{counted, visible_name};
use crate::log_file::{self, TraceFiles};

use super::options::StreamArguments;
use super::session::TenantSession;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline tenants perfetto trace.pftrace
  wattline tenants perfetto trace.pftrace.gz --by process --rail CPUCL --out target/tenants
  wattline tenants perfetto trace.pftrace --soc gs101.csv

A trace, also in an archive, needs sched/sched_switch; cpu_frequency gives cycles, power rails
(or, less well, battery counters) give energy, process and package lists give names.")]
pub struct Arguments {
    /// The trace.
    trace: PathBuf,
    /// What a tenant is: a user is an application on Android.
    #[arg(long, value_enum, default_value_t = PerfettoTenant::User)]
    by: PerfettoTenant,
    /// Rails to share, by part of their name; without, those of the CPU, or else all.
    #[arg(long, value_name = "NAME")]
    rail: Vec<String>,
    /// The machine, where the trace or archive is of several: its name or number.
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// No meter, but a model: watts of a busy core by cluster and frequency, a table of
    /// freqbench (CSV or JSON). Needs power/cpu_frequency in the trace.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["watts", "rail"])]
    soc: Option<PathBuf>,
    #[command(flatten)]
    stream: StreamArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PerfettoTenant {
    /// A user: an application.
    User,
    /// A process.
    Process,
    /// Threads of one name.
    Thread,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let traces = log_file::find_traces(&arguments.trace, arguments.machine.as_deref())
        .map_err(|error| Failure::input(&arguments.trace, error))?;
    let facts = gather_facts(arguments, &traces)?;
    let source = PowerSource::choose(arguments, &facts)?;
    let options = arguments.stream.options(source.has_meter(&facts))?;
    let mut session = TenantSession::open(&arguments.stream, options)?;
    let mut notes = source.notes(arguments, &facts);
    notes.extend(traces.notes.iter().cloned());
    if facts.has_frequencies() {
        session.stream.set_cycles(SharingBasis::CyclesByFrequency);
    }
    let meters = source.meters(&facts, &mut session.stream);
    let mut android = AndroidRecords::new(facts, arguments.by.into(), meters);
    if let Some(table) = source.soc {
        session.stream.set_energy(android.use_power_table(table));
    }
    take_events(arguments, &traces, &mut android, &mut session)?;
    notes.extend(charging_note(&android));
    warn_beyond_table(arguments, &android);
    session.incomplete.extend(traces.not_read.iter().cloned());
    session.finish(&arguments.trace.display().to_string(), &notes)
}

/// Reads all events in the order of their times, in the second pass.
fn take_events(
    arguments: &Arguments,
    traces: &TraceFiles,
    android: &mut AndroidRecords,
    session: &mut TenantSession<'_>,
) -> Result<(), Failure> {
    let mut events =
        OrderedEvents::new(open_readers(arguments, traces)?, AndroidRecords::is_wanted);
    for event in events.by_ref() {
        let event = event.map_err(Failure::io("read", &arguments.trace))?;
        if let Some(record) = android.record(&event, &mut session.names) {
            session.take(record)?;
        }
    }
    let end_ns = session.stream.newest_ns();
    android.last(end_ns).into_iter().try_for_each(|record| session.take(record))?;
    let source = arguments.trace.display();
    for losses in events.losses() {
        let findings = losses.findings();
        findings.iter().for_each(|loss| progress::warn_in_line(format!("{source}: {loss}")));
        session
            .incomplete
            .extend(losses.unread_findings(&[RecordContent::Scheduling, RecordContent::Energy]));
    }
    Ok(())
}

/// Source of a trace's energy: rails, else the batteries, or a chip's table.
struct PowerSource {
    /// Rails that are shared.
    rails: Vec<RailMeter>,
    /// Names of those that are not.
    others: Vec<String>,
    /// What is to be told of the choice.
    told: Vec<String>,
    soc: Option<SocTable>,
}

impl PowerSource {
    fn choose(arguments: &Arguments, facts: &TraceFacts) -> Result<Self, Failure> {
        let (rails, others, told) = match arguments.soc {
            Some(_) => (Vec::new(), Vec::new(), Vec::new()),
            None => facts.choose_rails(&arguments.rails()),
        };
        if rails.is_empty() && !arguments.rail.is_empty() {
            let text = format!("no rail's name contains it; there are: {}", others.join(", "));
            return Err(Failure::Usage(format!("--rail {}: {text}", arguments.rail.join(" "))));
        }
        let soc = arguments.soc.as_deref().map(|path| soc_table(path, facts)).transpose()?;
        Ok(Self { rails, others, told, soc })
    }

    fn has_meter(&self, facts: &TraceFacts) -> bool {
        self.soc.is_none() && !(self.rails.is_empty() && facts.batteries().is_empty())
    }

    /// Adds the meters of the rails, or those of the batteries, to the stream.
    fn meters(&self, facts: &TraceFacts, stream: &mut WindowStream) -> AndroidMeters {
        match (self.rails.as_slice(), self.has_meter(facts)) {
            (_, false) => AndroidMeters::default(),
            ([], true) => AndroidMeters::of_batteries(facts.batteries(), stream),
            (rails, true) => AndroidMeters::of_rails(rails, stream),
        }
    }

    fn notes(&self, arguments: &Arguments, facts: &TraceFacts) -> Vec<String> {
        let mut notes = match &arguments.soc {
            Some(path) => vec![format!(
                "a model, no measurement of this device: {} (watts of a busy core by cluster and \
                 frequency) x busy time; idle power, memory, display and radios are not in it",
                path.display()
            )],
            None => notes(facts, &self.rails, &self.others),
        };
        notes.extend(self.told.iter().cloned());
        notes
    }
}

/// Collects names, rails and CPUs in the first pass.
fn gather_facts(arguments: &Arguments, traces: &TraceFiles) -> Result<TraceFacts, Failure> {
    let mut facts = TraceFacts::default();
    let (mut losses, mut unread) = (Vec::new(), traces.not_read.clone());
    for mut reader in open_readers(arguments, traces)? {
        for event in reader.by_ref() {
            facts.take(&event.map_err(Failure::io("read", &arguments.trace))?);
        }
        losses.extend(reader.losses().findings());
        unread.extend(reader.losses().unread_findings(&[RecordContent::Scheduling]));
    }
    match facts.cpus() {
        0 => Err(no_switches_failure(arguments, &losses, &unread)),
        _ => Ok(facts),
    }
}

/// Returns the failure of a trace without switches; with the remedy for a trace that was read
/// whole.
fn no_switches_failure(arguments: &Arguments, losses: &[String], unread: &[String]) -> Failure {
    if losses.is_empty() && unread.is_empty() {
        let text = "it has no sched_switch, so nobody is known to have run; record it with the \
                    ftrace event sched/sched_switch";
        return Failure::input(&arguments.trace, text);
    }
    let path = arguments.trace.display();
    let why = losses.iter().chain(unread).cloned().collect::<Vec<_>>().join("; ");
    Failure::NoData(format!(
        "{path}: no switches of the scheduler are in what could be read of it, so nobody is known \
         to have run: {}",
        visible_name(&why)
    ))
}

fn open_readers(arguments: &Arguments, traces: &TraceFiles) -> Result<Vec<TraceReader>, Failure> {
    traces.readers().map_err(|error| Failure::input(&arguments.trace, error))
}

fn charging_note(android: &AndroidRecords) -> Option<String> {
    let count = android.charging_samples();
    (count > 0).then(|| {
        let samples = counted(count, "sample");
        format!("the battery was charged at {samples}: its energy is not known there")
    })
}

fn warn_beyond_table(arguments: &Arguments, android: &AndroidRecords) {
    let seconds = android.beyond_table_s();
    if seconds > 0.0 && arguments.soc.is_some() {
        progress::warn_in_line(format!(
            "{seconds:.3} s of busy CPUs at frequencies that the table doesn't have: their energy \
             is in no figure"
        ));
    }
}

impl Arguments {
    fn rails(&self) -> RailChoice {
        match self.rail.as_slice() {
            [] => RailChoice::Cpu,
            names => RailChoice::Named(names.to_vec()),
        }
    }
}

impl From<PerfettoTenant> for TraceGrouping {
    fn from(tenant: PerfettoTenant) -> Self {
        match tenant {
            PerfettoTenant::User => Self::User,
            PerfettoTenant::Process => Self::Process,
            PerfettoTenant::Thread => Self::Thread,
        }
    }
}

/// Reads the table of a chip, for a trace with the frequency of every CPU.
fn soc_table(path: &Path, facts: &TraceFacts) -> Result<SocTable, Failure> {
    if !facts.has_frequencies() {
        let text = "--soc: not every CPU of the trace tells its frequency; record it with the \
                    ftrace event power/cpu_frequency";
        return Err(Failure::Usage(text.into()));
    }
    parse_soc(&read_text(path)?).map_err(|error| Failure::input(path, error))
}

fn notes(facts: &TraceFacts, rails: &[RailMeter], others: &[String]) -> Vec<String> {
    let mut notes = Vec::new();
    notes.push(match facts.has_frequencies() {
        true => "cycles are CPU time x frequency; an idle CPU has none".to_owned(),
        false => "not every CPU tells its frequency: shared by CPU time".to_owned(),
    });
    if !rails.is_empty() && !others.is_empty() {
        notes.push(format!("rails not shared: {}; --rail chooses", others.join(", ")));
    }
    if rails.is_empty() && !facts.batteries().is_empty() {
        notes.push("no power rails: the battery's counters, which are the whole phone".into());
    }
    notes
}

//! `wattline tenants perfetto`: applications of a phone, by a trace.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::attribution::monitor::formulas::{SocTable, parse_soc};
use crate::attribution::perfetto::{TraceEvent, TraceReader};
use crate::attribution::tenants::{
    AndroidRecords, Grouping, MeterId, RailChoice, Reorder, SharingBasis, TraceFacts, WindowStream,
};
use crate::cli::progress;
use crate::input_file;
use crate::stage::Failure;
use crate::stage::folder::read_text;

use super::options::StreamArguments;
use super::session::TenantSession;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline tenants perfetto trace.pftrace
  wattline tenants perfetto trace.pftrace.gz --by process --rail CPUCL --out target/tenants
  wattline tenants perfetto trace.pftrace --soc gs101.csv

The trace needs sched/sched_switch; cpu_frequency makes cycles of CPU time, power rails (or,
less well, battery counters) give the energy, process and package lists the names. It is
read twice: names first.")]
pub struct Arguments {
    /// The trace.
    trace: PathBuf,
    /// What a tenant is: a user is an application on Android.
    #[arg(long, value_enum, default_value_t = PerfettoTenant::User)]
    by: PerfettoTenant,
    /// Rails to share, by part of their name; without, those of the CPU, or else all.
    #[arg(long, value_name = "NAME")]
    rail: Vec<String>,
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

impl From<PerfettoTenant> for Grouping {
    fn from(tenant: PerfettoTenant) -> Grouping {
        match tenant {
            PerfettoTenant::User => Grouping::User,
            PerfettoTenant::Process => Grouping::Process,
            PerfettoTenant::Thread => Grouping::Thread,
        }
    }
}

/// Events of several CPUs come in bundles; so many are brought in order.
const HELD_BACK: usize = 1 << 18;

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let facts = facts(arguments)?;
    let source = PowerSource::choose(arguments, &facts)?;
    let options = arguments.stream.options(source.has_meter(&facts))?;
    let mut session = TenantSession::open(&arguments.stream, options)?;
    let mut notes = source.notes(arguments, &facts);
    if facts.has_frequencies() {
        session.stream.set_cycles(SharingBasis::CyclesByFrequency);
    }
    let (rails, battery) = source.meters(&facts, &mut session.stream);
    let mut android = AndroidRecords::new(facts, arguments.by.into(), rails, battery);
    if let Some(table) = source.soc {
        session.stream.set_energy(android.modelled(table));
    }
    let reader = take_events(arguments, &mut android, &mut session)?;
    if android.charging() > 0 {
        let count = android.charging();
        notes.push(format!(
            "the battery was charged at {count} samples: its energy is not known there"
        ));
    }
    if android.beyond_table_s() > 0.0 && arguments.soc.is_some() {
        let seconds = android.beyond_table_s();
        progress::warn_in_line(format!(
            "{seconds:.3} s of busy CPUs at frequencies that the table doesn't have: their energy \
             is in no figure"
        ));
    }
    let trace = arguments.trace.display().to_string();
    let losses = reader.losses().findings();
    losses.iter().for_each(|loss| progress::warn_in_line(format!("{trace}: {loss}")));
    session.finish(&trace, &notes)
}

/// What a first reading of the trace tells: names, rails and CPUs.
fn facts(arguments: &Arguments) -> Result<TraceFacts, Failure> {
    let mut facts = TraceFacts::default();
    let mut reader = open(arguments)?;
    for event in reader.by_ref() {
        facts.take(&event.map_err(Failure::io("read", &arguments.trace))?);
    }
    if facts.cpus() == 0 {
        let losses = reader.losses().findings().join("; ");
        let text = format!(
            "it has no sched_switch, so nobody is known to have run; record it with the ftrace \
             event sched/sched_switch {losses}"
        );
        return Err(Failure::input(&arguments.trace, text.trim_end()));
    }
    Ok(facts)
}

/// Takes in the events of a second reading, in order of time.
fn take_events(
    arguments: &Arguments,
    android: &mut AndroidRecords,
    session: &mut TenantSession<'_>,
) -> Result<TraceReader, Failure> {
    let mut reorder = Reorder::new(HELD_BACK);
    let mut take = |event: &TraceEvent| match android.record(event, &mut session.names) {
        Some(record) => session.take(record),
        None => Ok(()),
    };
    let mut reader = open(arguments)?;
    for event in reader.by_ref() {
        let event = event.map_err(Failure::io("read", &arguments.trace))?;
        if !AndroidRecords::is_wanted(&event) {
            continue;
        }
        if let Some(event) = reorder.push(event.at_ns.unwrap_or(0), event) {
            take(&event)?;
        }
    }
    while let Some(event) = reorder.pop() {
        take(&event)?;
    }
    let end_ns = session.stream.newest_ns();
    android.last(end_ns).into_iter().try_for_each(|record| session.take(record))?;
    Ok(reader)
}

/// Where the energy of a trace comes from: rails, else the battery, or a chip's table.
struct PowerSource {
    /// Rails that are shared.
    rails: Vec<(u32, String)>,
    /// Names of those that are not.
    others: Vec<String>,
    soc: Option<SocTable>,
}

impl PowerSource {
    fn choose(arguments: &Arguments, facts: &TraceFacts) -> Result<Self, Failure> {
        let choice = match arguments.rail.as_slice() {
            [] => RailChoice::Cpu,
            names => RailChoice::Named(names.to_vec()),
        };
        let (rails, others) = match arguments.soc {
            Some(_) => (Vec::new(), Vec::new()),
            None => facts.choose(&choice),
        };
        if rails.is_empty() && !arguments.rail.is_empty() {
            let text = format!("no rail's name contains it; there are: {}", others.join(", "));
            return Err(Failure::Usage(format!("--rail {}: {text}", arguments.rail.join(" "))));
        }
        let soc = arguments.soc.as_deref().map(|path| soc_table(path, facts)).transpose()?;
        Ok(Self { rails, others, soc })
    }

    fn has_meter(&self, facts: &TraceFacts) -> bool {
        self.soc.is_none() && (!self.rails.is_empty() || facts.has_battery())
    }

    /// The meters of the rails, or that of the battery.
    fn meters(
        &self,
        facts: &TraceFacts,
        stream: &mut WindowStream,
    ) -> (HashMap<u32, MeterId>, Option<MeterId>) {
        let rails = self.rails.iter();
        let rails = rails
            .map(|(index, name)| (*index, stream.meter(name, AndroidRecords::counter())))
            .collect();
        let is_battery = self.rails.is_empty() && self.has_meter(facts);
        let battery = is_battery.then(|| stream.meter("the battery", AndroidRecords::counter()));
        (rails, battery)
    }

    fn notes(&self, arguments: &Arguments, facts: &TraceFacts) -> Vec<String> {
        match &arguments.soc {
            Some(path) => vec![format!(
                "a model, no measurement of this device: {} (watts of a busy core by cluster and \
                 frequency) x busy time; idle power, memory, display and radios are not in it",
                path.display()
            )],
            None => notes(facts, &self.rails, &self.others),
        }
    }
}

fn open(arguments: &Arguments) -> Result<TraceReader, Failure> {
    let file = input_file::open(&arguments.trace).map_err(Failure::io("read", &arguments.trace))?;
    TraceReader::new(file).map_err(Failure::io("read", &arguments.trace))
}

/// The table of a chip, for a trace that tells every CPU's frequency.
fn soc_table(path: &Path, facts: &TraceFacts) -> Result<SocTable, Failure> {
    if !facts.has_frequencies() {
        let text = "--soc: not every CPU of the trace tells its frequency; record it with the \
                    ftrace event power/cpu_frequency";
        return Err(Failure::Usage(text.into()));
    }
    parse_soc(&read_text(path)?).map_err(|error| Failure::input(path, error))
}

fn notes(facts: &TraceFacts, rails: &[(u32, String)], others: &[String]) -> Vec<String> {
    let mut notes = Vec::new();
    notes.push(match facts.has_frequencies() {
        true => "cycles are CPU time x frequency; an idle CPU has none".to_owned(),
        false => "not every CPU tells its frequency: shared by CPU time".to_owned(),
    });
    if !rails.is_empty() && !others.is_empty() {
        notes.push(format!("rails not shared: {}; --rail chooses", others.join(", ")));
    }
    if rails.is_empty() && facts.has_battery() {
        notes.push("no power rails: the battery's counters, which are the whole phone".into());
    }
    notes
}

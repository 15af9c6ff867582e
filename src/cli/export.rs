//! `wattline export`: writes accounts and measured sessions in formats of other tools.

use std::collections::BTreeMap;
#[cfg(feature = "parquet")]
use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use crate::campaign::RunPhase;
use crate::campaign_report::repository::{repository_of, warn_if_unknown};
use crate::dataset::energy::{PowerRun, mean};
use crate::dataset::idle_runs_of;
use crate::export::{ExportData, ExportFormat, FORMATS, InputEnergies, SessionTrace, StackDepth};
use crate::facts::ScenarioFacts;
use crate::failure::Failure;
#[cfg(feature = "parquet")]
use crate::folder::read_text;
use crate::folder::{CampaignFolder, OnExisting, Output};
use crate::model::Model;
use crate::power::{FigureBasis, Window, parse_samples};
use crate::run::{MeasuredSession, RunRecord};
use crate::scenario::IdlePolicy;

use super::monitor::recording;
use super::progress;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline export target/demo --format pprof && go tool pprof -top target/demo/energy.pb
  wattline export target/demo --format collapsed --format lcov --out target/exports
  wattline export target/demo --format firefox --format otlp
  wattline export target/demo --parquet

Weights are microjoules. A stack is package, class, method and block or, after `calls`, a
thread and its calls. docs/reference/exports.md lists what opens each format.")]
pub struct Arguments {
    /// The campaign's folder, with its model, or a recording of `monitor`.
    folder: PathBuf,
    /// Which formats; may be given more than once.
    #[arg(long, required_unless_present = "parquet",
          value_parser = PossibleValuesParser::new(FORMATS.map(|f| f.name)))]
    format: Vec<String>,
    /// Last level of the stacks of `collapsed` and `speedscope`: where energy is spent, not
    /// who called; else calls, where `wattline calls` has recorded them.
    #[arg(long, value_enum)]
    depth: Option<DepthArgument>,
    /// Mapping file of ProGuard or R8, for recordings of an obfuscated application.
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// Where the source root lies in the repository (`src/main/java`), for the paths in lcov
    /// and JaCoCo files; found by itself inside a git work tree that holds the sources.
    #[arg(long, value_name = "PATH")]
    source_prefix: Option<String>,
    /// A Parquet file beside each CSV file of the campaign.
    #[arg(long)]
    parquet: bool,
    /// Folder for the files; the campaign's, unless given.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Replace existing files.
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DepthArgument {
    /// Packages alone.
    Package,
    /// Packages and classes.
    Class,
    /// Packages, classes and methods.
    Method,
    /// Blocks too.
    Block,
}

impl From<DepthArgument> for StackDepth {
    fn from(argument: DepthArgument) -> StackDepth {
        match argument {
            DepthArgument::Package => StackDepth::Package,
            DepthArgument::Class => StackDepth::Class,
            DepthArgument::Method => StackDepth::Method,
            DepthArgument::Block => StackDepth::Block,
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let out = arguments.out.as_ref().unwrap_or(&arguments.folder);
    let output = Output::open(out, OnExisting::from(arguments.force), &progress::TERMINAL)?;
    if arguments.parquet {
        write_parquet(&arguments.folder, &output)?;
    }
    if arguments.format.is_empty() {
        return Ok(());
    }
    let is_asked = |format: &ExportFormat| arguments.format.iter().any(|name| name == format.name);
    let formats: Vec<ExportFormat> = FORMATS.into_iter().filter(is_asked).collect();
    output.check_free(&formats.iter().map(|format| format.file).collect::<Vec<_>>())?;
    let folder = arguments.folder.as_path();
    if recording::is_recording(folder) {
        let (mapping, prefix) = (arguments.mapping.as_deref(), arguments.source_prefix.as_deref());
        let recorded = recording::Exported::read(folder, mapping, prefix)?;
        return write_formats(&output, &formats, &recorded.data());
    }
    recording::no_mapping_here(arguments.mapping.as_deref())?;
    let folder = CampaignFolder::new(folder);
    let (facts, model) = (ScenarioFacts::read(&folder, None)?, folder.read::<Model>()?);
    let accounts = facts.accounts(&model);
    let calls = facts.call_accounts(&model, &accounts);
    let (about, scenario) = (folder.dataset_facts()?, folder.scenario()?);
    let board = facts.records.first().map(|run| run.board.clone()).unwrap_or_default();
    let wants_sessions = formats.iter().any(|format| format.name == "perfetto");
    let sessions = if wants_sessions { session_traces(&folder, &facts)? } else { Vec::new() };
    let data = ExportData {
        scenario: &scenario.name,
        package: &scenario.application.package,
        board: if board.model.is_empty() { &board.serial } else { &board.model },
        basis: FigureBasis::of_board(board.is_virtual, &board.meter),
        meter: &board.meter,
        frequency_hz: about.frequency_khz.map(|khz| khz * 1000),
        accounts: &accounts,
        inputs: &input_energies(&facts),
        sessions: &sessions,
        calls: calls.as_ref().filter(|_| arguments.depth.is_none()),
        repository: &repository_of(arguments.source_prefix.as_deref(), &accounts),
        depth: arguments.depth.map_or_else(StackDepth::default, StackDepth::from),
    };
    write_formats(&output, &formats, &data)
}

/// Writes the files of the chosen formats.
fn write_formats(
    output: &Output,
    formats: &[ExportFormat],
    data: &ExportData<'_>,
) -> Result<(), Failure> {
    if formats.iter().any(|format| ["lcov", "jacoco"].contains(&format.name)) {
        warn_if_unknown(data.repository, &progress::TERMINAL);
    }
    for format in formats {
        let path = output.write(format.file, (format.write)(data))?;
        progress::say(format!("written: {}", path.display()));
    }
    Ok(())
}

/// Writes `x.parquet` for each `x.csv` of a folder and of its accounts.
#[cfg(feature = "parquet")]
fn write_parquet(folder: &Path, output: &Output) -> Result<(), Failure> {
    let mut tables = Vec::new();
    for part in ["", crate::folder::names::ACCOUNTS] {
        tables.extend(tables_in(&folder.join(part))?);
    }
    tables.sort();
    if tables.is_empty() {
        return Err(Failure::input(folder, "it holds no CSV files; run `wattline pipeline` first"));
    }
    for path in tables {
        let name = path.strip_prefix(folder).unwrap_or(&path).with_extension("parquet");
        let bytes = crate::export::parquet::parquet(&read_text(&path)?)
            .map_err(|error| Failure::input(&path, error))?;
        let written = output.write(&name.to_string_lossy(), bytes)?;
        progress::say(format!("written: {}", written.display()));
    }
    Ok(())
}

/// Paths of the CSV files of a folder; none where the folder does not exist.
#[cfg(feature = "parquet")]
fn tables_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut tables = Vec::new();
    for entry in fs::read_dir(folder).map_err(Failure::io("read", folder))? {
        let path = entry.map_err(Failure::io("read", folder))?.path();
        tables.extend(Some(path).filter(|path| path.extension().is_some_and(|end| end == "csv")));
    }
    Ok(tables)
}

/// Refuses `--parquet` in a build without Parquet.
#[cfg(not(feature = "parquet"))]
fn write_parquet(_: &Path, _: &Output) -> Result<(), Failure> {
    Err(Failure::Usage("--parquet: this build has no Parquet; build with it (the default)".into()))
}

/// Good runs of a phase of the unremoved cases, in the journal's order.
fn good_runs(facts: &ScenarioFacts, phase: RunPhase) -> impl Iterator<Item = &RunRecord> {
    let bases = facts.cases.iter().filter(|case| case.removed.is_empty());
    let names: Vec<&str> = bases.map(|case| case.name.as_str()).collect();
    facts.records.iter().filter(move |run| {
        run.is_good() && run.run.phase == phase && names.contains(&run.run.case.as_str())
    })
}

/// Mean idle power in watts for a run of a case, on the run's board; `None` without a good idle
/// run.
fn idle_power_w(records: &[RunRecord], run: &RunRecord, policy: IdlePolicy) -> Option<f64> {
    let on_board = records.iter().filter(|other| other.board.serial == run.board.serial);
    let idle = idle_runs_of(on_board, &run.run.case, policy);
    let powers_w = idle.filter_map(|run| Some(run.measured.as_ref()?.mean_power_w()));
    mean(&powers_w.collect::<Vec<_>>())
}

/// Energies of the power runs by input sequence.
fn input_energies(facts: &ScenarioFacts) -> BTreeMap<String, InputEnergies> {
    let mut inputs: BTreeMap<String, Vec<(&MeasuredSession, Option<f64>)>> = BTreeMap::new();
    for run in good_runs(facts, RunPhase::Power) {
        let case = facts.cases.iter().find(|case| case.name == run.run.case);
        let (Some(case), Some(measured)) = (case, &run.measured) else { continue };
        let idle_power_w = idle_power_w(&facts.records, run, facts.idle);
        inputs.entry(case.input.clone()).or_default().push((measured, idle_power_w));
    }
    inputs.into_iter().map(|(input, runs)| (input, energies_of(&runs))).collect()
}

/// Energies of runs, each with its mean idle power in watts.
fn energies_of(runs: &[(&MeasuredSession, Option<f64>)]) -> InputEnergies {
    let above_idle_uj = |(run, idle_power_w): &(&MeasuredSession, Option<f64>)| {
        Some(PowerRun::from(*run).above_idle_j((*idle_power_w)?) * 1e6)
    };
    InputEnergies {
        total_uj: runs.iter().map(|(run, _)| run.energy_j * 1e6).collect(),
        above_idle_uj: runs.iter().map(above_idle_uj).collect(),
        duration_s: runs.iter().map(|(run, _)| run.duration_s).collect(),
    }
}

/// Samples of the good power and idle sessions.
fn session_traces(
    folder: &CampaignFolder,
    facts: &ScenarioFacts,
) -> Result<Vec<SessionTrace>, Failure> {
    let mut sessions = Vec::new();
    for phase in [RunPhase::Power, RunPhase::Idle] {
        for run in good_runs(facts, phase) {
            let Some(measured) = &run.measured else { continue };
            let logs = folder.logs(run)?;
            let (start_s, end_s) = (measured.start_uptime_s, measured.end_uptime_s);
            sessions.push(SessionTrace {
                name: run.folder.clone(),
                trace: parse_samples(&logs.samples).ok(),
                window: Window { start_s, end_s },
                energy_j: measured.energy_j,
            });
        }
    }
    Ok(sessions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::PlannedRun;
    use crate::run::{BoardIdentity, Conditions, RunVerdict};

    fn record(phase: RunPhase, serial: &str, energy_j: f64) -> RunRecord {
        RunRecord {
            folder: String::new(),
            run: PlannedRun { case: "base-a".into(), phase, repeat: 1 },
            attempt: 0,
            verdict: RunVerdict::Good,
            board: BoardIdentity { serial: serial.into(), ..BoardIdentity::default() },
            conditions: Conditions::default(),
            measured: Some(session(energy_j)),
            tool_version: String::new(),
            seed: 1,
        }
    }

    fn session(energy_j: f64) -> MeasuredSession {
        MeasuredSession { energy_j, duration_s: 10.0, ..MeasuredSession::default() }
    }

    #[test]
    fn idle_power_is_of_the_board_or_unknown() {
        let idle = [10.0, 30.0].map(|energy_j| record(RunPhase::Idle, "one", energy_j));
        let of = |serial: &str| {
            idle_power_w(&idle, &record(RunPhase::Power, serial, 50.0), IdlePolicy::Campaign)
        };
        assert_eq!((of("one"), of("two")), (Some(2.0), None));
    }

    #[test]
    fn energy_above_idle_is_unknown_without_idle_power() {
        let (first, second) = (session(50.0), session(60.0));
        let found = energies_of(&[(&first, Some(2.0)), (&second, Some(2.0))]);
        assert_eq!(found.above_idle_uj, Some(vec![30e6, 40e6]));
        let found = energies_of(&[(&first, Some(2.0)), (&second, None)]);
        assert_eq!((found.total_uj, found.above_idle_uj), (vec![50e6, 60e6], None));
    }
}

//! Microbenchmarks for an application's most executed operations, run on boards and fitted to
//! costs.

mod pairs;
mod program_patterns;
mod programs;
mod session_store;
mod sessions;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::blocks::Granularity;
use crate::boards::{self, BoardChoice, OpenBoard, VirtualSettings};
use crate::build::counts_files::read_counts;
use crate::build::{AnalysedApplication, Sources, VariantBuilder};
use crate::campaign::{most_executed, parse_executions};
use crate::csv_text::CsvText;
use crate::failure::Failure;
use crate::folder::Output;
use crate::folder::names::{self, MICROBENCHMARK_RUNS};
use crate::format::{counted, counted_operations};
use crate::instrument::Probe;
use crate::model::table::Table;
use crate::model::{devices_csv, devices_text};
use crate::operations::{OperationMix, split_form};
use crate::private_files::TemporaryFolder;
use crate::progress::Progress;
use crate::scenario::Scenario;
use crate::toolchain::jvm::{self, JvmEnd, JvmRun};
use crate::toolchain::{Jdk, jar};
use wattline_units::file_schema::DeclaredColumn;

use super::measure::{self, CountedRun, MicrobenchmarkRun, table_csv};
use super::places::{PLACES_AHEAD, PLACES_MEANWHILE};
use super::prices::{MicrobenchmarkPrices, prices_csv};
use super::{
    Microbenchmark, catalogue, pairs as before_after, program, protect_from_compilers, select,
};

pub use pairs::measure_pairs;
pub use program_patterns::count_programs;
pub use programs::BuiltPrograms;
pub use session_store::SessionStore;
use sessions::session_s;
pub use sessions::{BAR_NAME, SessionMeter, measure_all, measure_built};

/// Least share of all executions for which an operation gets a microbenchmark.
const LEAST_SHARE: f64 = 1e-6;

/// Iterations of the two counted runs, equally many in each code location.
const COUNTED: [u64; 2] = [20 * PLACES_AHEAD as u64, 60 * PLACES_AHEAD as u64];

/// Java release of the microbenchmarks' program, which runs wherever wattline's probes do.
pub const JAVA_RELEASE: u32 = 11;

/// The results of an application's microbenchmarks: runs, table, costs.
#[derive(Debug, Clone)]
pub struct MeasuredMicrobenchmarks {
    /// Number of microbenchmarks.
    pub microbenchmarks: usize,
    /// Every session's runs.
    pub runs: Vec<Vec<MicrobenchmarkRun>>,
    /// Energy and counts of each microbenchmark.
    pub table: Table,
    /// Costs of operations and contexts.
    pub prices: MicrobenchmarkPrices,
    /// Operations that the application executes often and that have no microbenchmark.
    pub unmeasured: Vec<String>,
}

/// Opens the boards that microbenchmarks run on.
pub fn open_boards<'p>(
    choices: &[BoardChoice],
    scenario: &Scenario,
    output: &Output,
    progress: &'p dyn Progress,
) -> Result<Vec<OpenBoard<'p>>, Failure> {
    boards::check_logs(choices, &scenario.board)?;
    let settings = VirtualSettings { truth: None, seed: scenario.seed };
    let open = |choice| boards::open(choice, scenario, &settings, output.folder(), progress);
    choices.iter().map(open).collect()
}

/// Chooses, counts, runs and fits the microbenchmarks for the executions of an application (`mix`).
/// Raw logs are kept in the output folder.
pub fn run_microbenchmarks(
    mix: &OperationMix,
    scenario: &Scenario,
    jdk: &Jdk,
    boards: &[OpenBoard<'_>],
    output: &Output,
    progress: &dyn Progress,
) -> Result<MeasuredMicrobenchmarks, Failure> {
    let all = catalogue_for_boards(boards);
    let mix = &mix.clone().without_compiled_away();
    let wanted = wanted_operations(mix, scenario);
    let microbenchmarks = select_with_forms(&all, mix, &wanted);
    let application = analyse(&microbenchmarks)?;
    let mut builder = VariantBuilder::new(&application, jdk, Some(JAVA_RELEASE))?;
    let counts = count(&application, &microbenchmarks, &mut builder, jdk)?;
    let place = SessionStore { output, runs: MICROBENCHMARK_RUNS };
    let runs = measure_all(&microbenchmarks, scenario, &mut builder, boards, place, progress)?;
    let every: Vec<MicrobenchmarkRun> = runs.iter().flatten().cloned().collect();
    let table = measure::microbenchmark_table(&every, &counts);
    let places =
        microbenchmarks.iter().map(|microbenchmark| microbenchmark.places).min().unwrap_or(1);
    let prices = measure::microbenchmark_prices(&table, mix)?.with_places(places);
    let unmeasured = select::without_microbenchmark(&all, &wanted, 1e-3);
    Ok(MeasuredMicrobenchmarks {
        microbenchmarks: microbenchmarks.len(),
        runs,
        table,
        prices,
        unmeasured,
    })
}

/// The operations that get microbenchmarks, with their executions.
fn wanted_operations(mix: &OperationMix, scenario: &Scenario) -> BTreeMap<String, u64> {
    let executions = mix.executions();
    let ran = executions.iter().map(|(name, count)| (name.as_str(), *count));
    let most = most_executed(ran, scenario.microbenchmarks.count);
    let wanted = executions.iter().filter(|(name, _)| most.contains(name.as_str()));
    wanted.map(|(name, count)| (name.clone(), *count)).collect()
}

/// Selects the microbenchmarks of these operations and of their forms.
fn select_with_forms(
    all: &[Microbenchmark],
    mix: &OperationMix,
    wanted: &BTreeMap<String, u64>,
) -> Vec<Microbenchmark> {
    let mut executed = wanted.clone();
    executed.extend(
        mix.forms().into_iter().filter(|(form, _)| wanted.contains_key(split_form(form).0)),
    );
    select::select_microbenchmarks(all, &executed, LEAST_SHARE)
}

/// The catalogue, with microbenchmarks protected against the boards' optimising compilers.
fn catalogue_for_boards(boards: &[OpenBoard<'_>]) -> Vec<Microbenchmark> {
    let places = match boards.iter().any(OpenBoard::is_local) {
        true => PLACES_MEANWHILE,
        false => PLACES_AHEAD,
    };
    match boards.iter().any(OpenBoard::compiles) {
        true => catalogue()
            .into_iter()
            .map(|microbenchmark| protect_from_compilers(microbenchmark, places))
            .collect(),
        false => catalogue(),
    }
}

/// Columns of `microbenchmark-windows.csv`.
pub(crate) const WINDOW_COLUMNS: [DeclaredColumn; 7] = [
    DeclaredColumn::text("microbenchmark", "Microbenchmark"),
    DeclaredColumn::integer("repeat", "Number of the run, from 1"),
    DeclaredColumn::integer("iterations", "Iterations in the window"),
    DeclaredColumn::integer("gc_runs", "GC runs in the window"),
    DeclaredColumn::number("energy_j", "Energy of the window above idle"),
    DeclaredColumn::number("duration_s", "Length of the window"),
    DeclaredColumn::text("device", "Board"),
];

impl MeasuredMicrobenchmarks {
    /// Writes the tables of runs, counts, costs and covariance.
    pub fn write(&self, output: &Output) -> Result<(), Failure> {
        output.write(names::MICROBENCHMARK_WINDOWS, self.windows_csv())?;
        output.write(names::MICROBENCHMARK_CASES, table_csv(&self.table))?;
        let prices = &self.prices;
        if !prices.devices.is_empty() {
            output.write(names::MICROBENCHMARKS_DEVICES, devices_csv(&prices.devices)?)?;
        }
        output.write(names::MICROBENCHMARKS, prices_csv(&prices.prices)?)?;
        if let Some(text) = prices.priors.covariance_csv() {
            output.write(names::MICROBENCHMARKS_COVARIANCE, text)?;
        }
        Ok(())
    }

    /// Number of microbenchmarks that ran on a board.
    pub fn executed_count(&self) -> usize {
        let names = self.runs.iter().flatten().map(|run| run.name.as_str());
        names.collect::<BTreeSet<_>>().len()
    }

    /// A line about the measured microbenchmarks.
    pub fn summary(&self) -> String {
        let MicrobenchmarkPrices { prices, devices, .. } = &self.prices;
        let mut said = format!(
            "{} x {}: costs of {}",
            counted(self.microbenchmarks, "microbenchmark"),
            counted(self.runs.len(), "run"),
            counted_operations(prices.iter().filter(|price| price.context.is_empty()).count())
        );
        said += &devices_text(devices).map_or(String::new(), |text| format!("\n{text}"));
        if !self.unmeasured.is_empty() {
            said += &format!(
                "\nexecuted often, but without a microbenchmark: {}",
                self.unmeasured.join(", ")
            );
        }
        said
    }

    /// The text of `microbenchmark-windows.csv`: the runs of every microbenchmark.
    pub(crate) fn windows_csv(&self) -> String {
        let mut table = CsvText::new(WINDOW_COLUMNS);
        for (repeat, runs) in self.runs.iter().enumerate() {
            for run in runs {
                table.row([
                    run.name.clone(),
                    (repeat + 1).to_string(),
                    run.iterations.to_string(),
                    run.gc_runs.to_string(),
                    run.energy_j.to_string(),
                    run.duration_s.to_string(),
                    run.device.clone(),
                ]);
            }
        }
        table.text()
    }
}

/// Expected time of the microbenchmarks for the executions `mix` of a scenario, in seconds on the
/// board's clock.
pub fn expected_s(scenario: &Scenario, mix: &OperationMix, board: SessionMeter<'_>) -> f64 {
    if !scenario.microbenchmarks.enabled {
        return 0.0;
    }
    let mix = mix.clone().without_compiled_away();
    let microbenchmarks =
        select_with_forms(&catalogue(), &mix, &wanted_operations(&mix, scenario)).len();
    f64::from(scenario.microbenchmarks.repeats) * session_s(microbenchmarks, scenario, board)
}

/// Longest time of all before/after microbenchmarks, in seconds on the board's clock.
pub(crate) fn all_pairs_s(scenario: &Scenario, board: SessionMeter<'_>) -> f64 {
    if !scenario.microbenchmarks.enabled {
        return 0.0;
    }
    let all = before_after::microbenchmarks_of(&before_after::before_after_pairs()).len();
    f64::from(scenario.microbenchmarks.repeats) * session_s(all, scenario, board)
}

/// Analyses the microbenchmarks' program, as an application with its blocks.
pub fn analyse(microbenchmarks: &[Microbenchmark]) -> Result<AnalysedApplication, Failure> {
    let sources = Sources::of_texts(program::sources(microbenchmarks));
    Ok(AnalysedApplication::analyse(sources, Granularity::Expression)?)
}

/// Counts the operations per iteration of each microbenchmark by two runs on the local JVM.
fn count(
    application: &AnalysedApplication,
    microbenchmarks: &[Microbenchmark],
    builder: &mut VariantBuilder<'_>,
    jdk: &Jdk,
) -> Result<BTreeMap<String, BTreeMap<String, f64>>, Failure> {
    let variant = builder.build(&BTreeSet::new(), Probe::Count)?;
    let mut runs = Vec::new();
    for iterations in COUNTED {
        let folder = TemporaryFolder::new("microbenchmarks")
            .map_err(Failure::io("create", std::env::temp_dir()))?;
        let classes = folder.path().join("classes");
        jar::write_folder(&classes, &variant.classes)?;
        let arguments = vec![names_argument(microbenchmarks), format!("iterations={iterations}")];
        let outcome = jvm::run_program(jdk, &local_run(folder.path(), classes, arguments))?;
        if outcome.end != JvmEnd::Exited(0) {
            let message =
                format!("the microbenchmarks end with {:?}: {}", outcome.end, outcome.stderr);
            return Err(Failure::input("microbenchmarks", message));
        }
        let file = folder.path();
        let text = read_counts(file).map_err(Failure::io("read", file))?;
        let text =
            text.ok_or_else(|| Failure::input(file, "the microbenchmarks left no counts"))?;
        let executions = parse_executions(&text, application.dictionary.blocks.len())
            .map_err(|error| Failure::input(file, error))?;
        runs.push(CountedRun { iterations, executions });
    }
    let mut counts = measure::counts_per_iteration(&application.dictionary, &runs[0], &runs[1]);
    measure::count_elements(microbenchmarks, &mut counts);
    Ok(counts)
}

fn local_run(folder: &Path, classes: PathBuf, arguments: Vec<String>) -> JvmRun {
    JvmRun {
        options: Vec::new(),
        classpath: vec![classes],
        main: program::MAIN_CLASS.to_string(),
        arguments,
        directory: folder.to_path_buf(),
        input: String::new(),
        limit: Duration::from_secs(60),
    }
}

fn names_argument(microbenchmarks: &[Microbenchmark]) -> String {
    let names: Vec<&str> =
        microbenchmarks.iter().map(|microbenchmark| microbenchmark.name.as_str()).collect();
    format!("microbenchmarks={}", names.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse_scenario;

    /// One for each operation and each of its forms, with what every program may contain.
    #[test]
    fn expected_are_as_many_as_are_run_and_what_each_takes_before_it_is_measured() {
        let text = "name = 'a'\n[application]\npackage = 'a.b'\nmain = 'A'\n[[source]]\n\
                    path = 's'\n[session]\nframes = 1\n[microbenchmarks]\nrepeats = 3\n\
                    count = 1\nwindow_s = 1\ngap_s = 0.5\n[[input]]\nname = 'i'\n";
        let scenario = parse_scenario(text, Path::new("a.toml")).unwrap();
        let often = [("", 5), ("value", 90)].map(|(context, n)| (context.to_string(), n));
        let rarely = [("", 1)].map(|(context, n)| (context.to_string(), n));
        let mix = OperationMix(BTreeMap::from([
            ("Addition_int_int".to_string(), BTreeMap::from(often)),
            ("Not".to_string(), BTreeMap::from(rarely)),
        ]));
        let run = select_with_forms(&catalogue(), &mix, &wanted_operations(&mix, &scenario));
        assert!(run.iter().any(|one| one.measures.contains(&"Addition_int_int".to_string())));
        assert!(!run.iter().any(|one| one.measures == ["Not"]), "one operation is to have some");
        let board = |is_local| SessionMeter { meter: "ina231", is_local };
        let (here, there) = (board(true), board(false));
        let each_s = expected_s(&scenario, &mix, there) / 3.0 / run.len() as f64;
        assert!((each_s - (1.0 + 3.0 * 0.264)).abs() < 1e-9, "the meter's gap: {each_s}");
        let more_s = expected_s(&scenario, &mix, here) / 3.0 / run.len() as f64 - each_s;
        assert!(more_s > 3.0 * 0.264, "a second gap, and its compilation: {more_s}");
    }

    #[test]
    fn windows_have_a_row_per_microbenchmark_and_repeat() {
        let run = |device: &str, energy_j| MicrobenchmarkRun {
            name: "add_int".into(),
            device: device.into(),
            iterations: 1000,
            gc_runs: 2,
            energy_j,
            duration_s: 3.0,
        };
        let measured = MeasuredMicrobenchmarks {
            microbenchmarks: 1,
            runs: vec![vec![run("B1", 0.5)], vec![run("B1, left", 1e-7)]],
            table: Table::default(),
            prices: MicrobenchmarkPrices {
                prices: Vec::new(),
                priors: Vec::new().into(),
                devices: Vec::new(),
            },
            unmeasured: Vec::new(),
        };
        let expected = "microbenchmark,repeat,iterations,gc_runs,energy_j,duration_s,device\n\
                        add_int,1,1000,2,0.5,3,B1\nadd_int,2,1000,2,0.0000001,3,\"B1, left\"\n";
        assert_eq!(measured.windows_csv(), expected);
    }
}

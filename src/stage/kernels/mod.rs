//! Micro-kernels for what an application executes most, run on the board, fitted to costs.

mod kept;
mod pairs;
mod sessions;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::blocks::Granularity;
use crate::build::counts_files::read_counts;
use crate::build::{AnalysedApplication, Sources, VariantBuilder};
use crate::campaign::most_executed;
use crate::campaign::parse_executions;
use crate::csv_text::CsvText;
use crate::instrument::Probe;
use crate::kernels::measure::{self, CountedRun, KernelRun};
use crate::kernels::places::{PLACES_AHEAD, PLACES_MEANWHILE};
use crate::kernels::prices::KernelPrices;
use crate::kernels::select::measured_operations;
use crate::kernels::{Kernel, catalogue, for_compilers, program, select};
use crate::model::table::Table;
use crate::operations::{Dictionary, Mix, split_form};
use crate::private_files::TemporaryFolder;
use crate::scenario::Scenario;
use crate::toolchain::jvm::{self, JvmEnd, JvmRun};
use crate::toolchain::{Jdk, jar};

use super::boards::{self, BoardChoice, OpenBoard, VirtualSettings};
use super::fit::devices_text;
use super::folder::names::KERNEL_RUNS;
use super::{Failure, Output};

pub(crate) use kept::SessionStore;
pub(crate) use pairs::pairs;
use sessions::session_s;
pub(crate) use sessions::{PART, measure_all};

/// Operations below this share of all executions get no kernel.
const LEAST_SHARE: f64 = 1e-6;

/// Iterations of the two counted runs, as many in each place.
const COUNTED: [u64; 2] = [20 * PLACES_AHEAD as u64, 60 * PLACES_AHEAD as u64];

/// A kernel program of release 11 runs wherever wattline's own probes do.
pub(crate) const JAVA_RELEASE: u32 = 11;

/// What kernels told.
#[derive(Debug, Clone)]
pub struct MeasuredKernels {
    /// How many kernels ran.
    pub kernels: usize,
    /// Every session's runs.
    pub(crate) runs: Vec<Vec<KernelRun>>,
    /// Energy and counts of each kernel.
    pub(crate) table: Table,
    /// Costs.
    pub(crate) prices: KernelPrices,
    /// What the application executes often, and no kernel is for.
    pub without: Vec<String>,
}

/// Opens the boards that kernels run on.
pub fn open_boards(
    choices: &[BoardChoice],
    scenario: &Scenario,
    output: &Output,
) -> Result<Vec<OpenBoard>, Failure> {
    boards::check_logs(choices, &scenario.board)?;
    let settings = VirtualSettings { truth: None, seed: scenario.seed };
    let open = |choice| boards::open(choice, scenario, &settings, output.folder());
    choices.iter().map(open).collect()
}

/// Chooses, counts, runs and fits the kernels for what an application executed. Raw logs are
/// kept in the folder.
pub fn kernels(
    mix: &Mix,
    scenario: &Scenario,
    jdk: &Jdk,
    boards: &[OpenBoard],
    output: &Output,
) -> Result<MeasuredKernels, Failure> {
    let all = for_boards(boards);
    let all_executed = mix.executions();
    let ran = all_executed.iter().map(|(name, count)| (name.as_str(), *count));
    let most = most_executed(ran, scenario.kernels.count);
    let mut wanted = all_executed.clone();
    wanted.retain(|name, _| most.contains(name.as_str()));
    let mut executed = wanted.clone();
    executed.extend(
        mix.forms().into_iter().filter(|(form, _)| wanted.contains_key(split_form(form).0)),
    );
    let kernels = select::select(&all, &executed, LEAST_SHARE);
    let application = analyse(&kernels)?;
    let mut builder = VariantBuilder::new(&application, jdk, Some(JAVA_RELEASE))?;
    let counts = count(&application, &kernels, &mut builder, jdk)?;
    let place = SessionStore { output, runs: KERNEL_RUNS };
    let runs = measure_all(&kernels, scenario, &mut builder, boards, place)?;
    let every: Vec<KernelRun> = runs.iter().flatten().cloned().collect();
    let table = measure::table(&every, &counts);
    let places = kernels.iter().map(|kernel| kernel.places).min().unwrap_or(1);
    let prices = measure::kernel_prices(&table, mix)?.measured_in(places);
    let without = select::without_kernel(&all, &wanted, 1e-3);
    Ok(MeasuredKernels { kernels: kernels.len(), runs, table, prices, without })
}

/// The kernels that the boards' compilers leave whole.
fn for_boards(boards: &[OpenBoard]) -> Vec<Kernel> {
    let places = match boards.iter().any(OpenBoard::is_local) {
        true => PLACES_MEANWHILE,
        false => PLACES_AHEAD,
    };
    match boards.iter().any(OpenBoard::compiles) {
        true => catalogue().into_iter().map(|kernel| for_compilers(kernel, places)).collect(),
        false => catalogue(),
    }
}

impl MeasuredKernels {
    /// A line about them.
    pub fn summary(&self) -> String {
        let KernelPrices { prices, devices, .. } = &self.prices;
        let mut said = format!(
            "{} kernels x {} runs: costs of {} operations and library functions",
            self.kernels,
            self.runs.len(),
            prices.iter().filter(|price| price.context.is_empty()).count()
        );
        said += &devices_text(devices).map_or(String::new(), |text| format!("\n{text}"));
        if !self.without.is_empty() {
            said += &format!("\nexecuted often, but without a kernel: {}", self.without.join(", "));
        }
        said
    }

    /// `kernel-windows.csv`: every kernel's runs.
    pub fn windows_csv(&self) -> String {
        let columns =
            ["kernel", "repeat", "iterations", "collections", "energy_j", "duration_s", "device"];
        let mut table = CsvText::new(columns);
        for (repeat, runs) in self.runs.iter().enumerate() {
            for run in runs {
                table.row([
                    run.name.clone(),
                    (repeat + 1).to_string(),
                    run.iterations.to_string(),
                    run.collections.to_string(),
                    run.energy_j.to_string(),
                    run.duration_s.to_string(),
                    run.device.clone(),
                ]);
            }
        }
        table.text()
    }
}

/// About how long the kernels of a scenario take, in seconds on the board's clock: there
/// is one for each operation of its sources that any kernel is for, up to `kernels.count`.
/// `meter` is what measures them, by its name.
pub(crate) fn expected_s(scenario: &Scenario, dictionary: &Dictionary, meter: &str) -> f64 {
    if !scenario.kernels.enabled {
        return 0.0;
    }
    let measured = measured_operations(&catalogue());
    let blocks = dictionary.blocks.iter();
    let operations = blocks.flat_map(|block| &block.operations).map(|one| one.operation.name());
    let has_kernel = |name: &&str| measured.contains(*name);
    let kernels: BTreeSet<&str> = operations.filter(has_kernel).collect();
    let kernels = kernels.len().min(scenario.kernels.count);
    f64::from(scenario.kernels.repeats) * session_s(kernels, scenario, meter)
}

/// The kernels' program, divided into blocks.
pub(crate) fn analyse(kernels: &[Kernel]) -> Result<AnalysedApplication, Failure> {
    let sources = Sources::of_texts(program::sources(kernels));
    Ok(AnalysedApplication::analyse(sources, Granularity::Expression)?)
}

/// Counts per iteration, from two runs on the local JVM.
fn count(
    application: &AnalysedApplication,
    kernels: &[Kernel],
    builder: &mut VariantBuilder<'_>,
    jdk: &Jdk,
) -> Result<BTreeMap<String, BTreeMap<String, f64>>, Failure> {
    let variant = builder.build(&BTreeSet::new(), Probe::Count)?;
    let mut runs = Vec::new();
    for iterations in COUNTED {
        let folder =
            TemporaryFolder::new("kernels").map_err(Failure::io("create", std::env::temp_dir()))?;
        let classes = folder.path().join("classes");
        jar::write_folder(&classes, &variant.classes)?;
        let arguments = vec![names_argument(kernels), format!("iterations={iterations}")];
        let outcome = jvm::run(jdk, &local_run(folder.path(), classes, arguments))?;
        if outcome.end != JvmEnd::Exited(0) {
            let message = format!("the kernels end with {:?}: {}", outcome.end, outcome.stderr);
            return Err(Failure::input("kernels", message));
        }
        let file = folder.path();
        let text = read_counts(file).map_err(Failure::io("read", file))?;
        let text = text.ok_or_else(|| Failure::input(file, "the kernels left no counts"))?;
        let executions = parse_executions(&text, application.dictionary.blocks.len())
            .map_err(|error| Failure::input(file, error))?;
        runs.push(CountedRun { iterations, executions });
    }
    let mut counts = measure::counts_per_iteration(&application.dictionary, &runs[0], &runs[1]);
    measure::count_elements(kernels, &mut counts);
    Ok(counts)
}

fn local_run(folder: &Path, classes: PathBuf, arguments: Vec<String>) -> JvmRun {
    JvmRun {
        options: Vec::new(),
        classpath: vec![classes],
        main: program::MAIN.to_string(),
        arguments,
        directory: folder.to_path_buf(),
        input: String::new(),
        limit: Duration::from_secs(60),
    }
}

fn names_argument(kernels: &[Kernel]) -> String {
    let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    format!("kernels={}", names.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_have_a_row_per_kernel_and_repeat() {
        let run = |device: &str, energy_j| KernelRun {
            name: "add_int".into(),
            device: device.into(),
            iterations: 1000,
            collections: 2,
            energy_j,
            duration_s: 3.0,
        };
        let measured = MeasuredKernels {
            kernels: 1,
            runs: vec![vec![run("B1", 0.5)], vec![run("B1, left", 1e-7)]],
            table: Table::default(),
            prices: KernelPrices {
                prices: Vec::new(),
                priors: Vec::new().into(),
                devices: Vec::new(),
            },
            without: Vec::new(),
        };
        let expected = "kernel,repeat,iterations,collections,energy_j,duration_s,device\n\
                        add_int,1,1000,2,0.5,3,B1\nadd_int,2,1000,2,0.0000001,3,\"B1, left\"\n";
        assert_eq!(measured.windows_csv(), expected);
    }
}

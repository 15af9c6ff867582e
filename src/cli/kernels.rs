//! `wattline kernels`: micro-kernels for what an application executes most, run on the
//! board, fitted to costs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::blocks::{BlockId, Granularity};
use crate::build::counts_files::read_counts;
use crate::build::{Application, LoadedSource, Sources, VariantBuilder};
use crate::campaign::parse_executions;
use crate::instrument::Probe;
use crate::kernels::measure::{self, CountedRun, KernelRun};
use crate::kernels::prices::{KernelPrices, prices_csv};
use crate::kernels::select::measured_operations;
use crate::kernels::{Kernel, catalogue, program, select};
use crate::model::devices_csv;
use crate::operations::{Dictionary, Mix, split_form};
use crate::scenario::{Role, Scenario, read_scenario};
use crate::toolchain::jvm::{self, JvmEnd, JvmRun};
use crate::toolchain::{Jdk, jar};

use super::Failure;
use super::fit;
use super::fleet::BoardArguments;
use super::output::{Existing, Output};
use super::progress;
use super::scenario_facts::ScenarioFacts;
use super::sessions::{self, OpenBoard, VirtualSettings};

mod kept;
mod turns;

use self::turns::session_s;
pub(super) use self::turns::{PART, measure_all};

/// The folder of sessions.
pub const RUNS: &str = kept::FOLDER;

/// Operations below this share of all executions get no kernel.
const LEAST_SHARE: f64 = 1e-6;

/// Iterations of the two counted runs.
const COUNTED: [u64; 2] = [1000, 3000];

/// What is written beside the sessions.
const RESULTS: [&str; 5] = [
    "kernels.csv",
    "kernels-covariance.csv",
    "kernel-cases.csv",
    "kernel-windows.csv",
    DEVICES_FILE,
];

/// What the boards spend by the first, where there were several.
pub const DEVICES_FILE: &str = "kernels-devices.csv";

/// A kernel program of release 11 runs wherever wattline's own probes do.
pub const JAVA_RELEASE: u32 = 11;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline kernels scenarios/orbit.toml --for target/orbit --board virtual --out target/orbit

Several boards (--serial A --serial B) take turns and work at the same time; the costs are
those of the first by name, and kernels-devices.csv says how the others differ.
A session that has ended is not made again when the command is repeated after an
interruption (kernel-runs/ holds them), except with --force.
Writes kernels.csv (cost and standard error per operation), for `fit --prior`,
kernel-windows.csv (every kernel's runs) and kernel-cases.csv (energy and counts of a
million iterations of each).")]
pub struct Arguments {
    /// The scenario: meter, rails, frequency, and its [kernels].
    scenario: PathBuf,
    /// The campaign's folder, whose operations are measured.
    #[arg(long = "for")]
    campaign: PathBuf,
    #[command(flatten)]
    boards: BoardArguments,
    /// Folder for the results.
    #[arg(long)]
    out: PathBuf,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.boards.check()?;
    let output = open_output(&arguments.out, arguments.force, &RESULTS)?;
    let scenario = read_scenario(&arguments.scenario)?;
    let jdk = Jdk::find()?;
    let mix = mix_in(&arguments.campaign)?;
    let boards = open_boards(&arguments.boards, &scenario)?;
    progress::result(make(&mix, &scenario, &jdk, &boards, &output)?);
    progress::say(format!("written: {}", output.path("kernels.csv").display()));
    Ok(())
}

/// Opens a folder for results and sessions; with `force` both are made anew.
pub(super) fn open_output(folder: &Path, force: bool, results: &[&str]) -> Result<Output, Failure> {
    let output = Output::open(folder, Existing::from(force))?;
    output.check_free(results)?;
    if force {
        output.discard(&[RUNS])?;
    }
    Ok(output)
}

/// Opens the boards that kernels run on.
pub(super) fn open_boards(
    named: &BoardArguments,
    scenario: &Scenario,
) -> Result<Vec<OpenBoard>, Failure> {
    sessions::check_logs(&named.board, &scenario.board)?;
    let settings = VirtualSettings { truth: None, seed: scenario.seed };
    named.board.iter().map(|choice| sessions::open(choice, scenario, &settings)).collect()
}

/// How often the unremoved cases of a folder executed each operation, by context.
pub fn mix_in(folder: &Path) -> Result<Mix, Failure> {
    let facts = ScenarioFacts::read(folder)?;
    let runs = |block: usize| facts.executions.get(&BlockId(block as u32)).copied().unwrap_or(0);
    Ok(Mix::new(&facts.dictionary, runs))
}

/// Chooses, counts, runs and fits the kernels; returns a line about them.
pub fn make(
    mix: &Mix,
    scenario: &Scenario,
    jdk: &Jdk,
    boards: &[OpenBoard],
    output: &Output,
) -> Result<String, Failure> {
    refuse_local(boards)?;
    let all = catalogue();
    let wanted = most_executed(&mix.executions(), scenario.kernels.count);
    let mut executed = wanted.clone();
    executed.extend(
        mix.forms().into_iter().filter(|(form, _)| wanted.contains_key(split_form(form).0)),
    );
    let kernels = select::select(&all, &executed, LEAST_SHARE);
    let application = analyse(&kernels)?;
    let mut builder = VariantBuilder::new(&application, jdk, Some(JAVA_RELEASE))?;
    let counts = count(&application, &kernels, &mut builder, jdk)?;
    let runs = measure_all(&kernels, scenario, &mut builder, boards, output)?;
    output.write("kernel-windows.csv", windows_csv(&runs))?;
    let every: Vec<KernelRun> = runs.iter().flatten().cloned().collect();
    let table = measure::table(&every, &counts);
    output.write("kernel-cases.csv", measure::table_csv(&table))?;
    let KernelPrices { prices, priors, devices } = measure::kernel_prices(&table, mix)?;
    if !devices.is_empty() {
        output.write(DEVICES_FILE, devices_csv(&devices)?)?;
    }
    output.write("kernels.csv", prices_csv(&prices)?)?;
    if let Some(text) = priors.covariance_csv() {
        output.write("kernels-covariance.csv", text)?;
    }
    let without = select::without_kernel(&all, &wanted, 1e-3);
    let mut said = format!(
        "{} kernels x {} runs: costs of {} operations and library functions",
        kernels.len(),
        runs.len(),
        prices.iter().filter(|price| price.context.is_empty()).count()
    );
    said += &fit::devices_text(&devices).map_or(String::new(), |text| format!("\n{text}"));
    if !without.is_empty() {
        said += &format!("\nexecuted often, but without a kernel: {}", without.join(", "));
    }
    Ok(said)
}

/// About how long the kernels of a scenario take, in seconds on the board's clock: there
/// is one for each operation of its sources that any kernel is for, up to `kernels.count`.
pub fn expected_s(scenario: &Scenario, dictionary: &Dictionary) -> f64 {
    if !scenario.kernels.enabled {
        return 0.0;
    }
    let measured = measured_operations(&catalogue());
    let blocks = dictionary.blocks.iter();
    let operations = blocks.flat_map(|block| &block.operations).map(|one| &one.operation);
    let has_kernel = |name: &&str| measured.contains(*name);
    let kernels: BTreeSet<&str> = operations.map(AsRef::as_ref).filter(has_kernel).collect();
    let kernels = kernels.len().min(scenario.kernels.count);
    f64::from(scenario.kernels.repeats) * session_s(kernels, scenario)
}

/// Refuses this machine as a board.
pub(super) fn refuse_local(boards: &[OpenBoard]) -> Result<(), Failure> {
    match boards.iter().any(OpenBoard::is_local) {
        true => Err(Failure::Usage(
            "kernels need the meter of a board; the local JVM has none that is fit for them".into(),
        )),
        false => Ok(()),
    }
}

fn most_executed(executions: &BTreeMap<String, u64>, count: usize) -> BTreeMap<String, u64> {
    let mut ranked: Vec<(&String, &u64)> = executions.iter().collect();
    ranked.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    ranked.into_iter().take(count).map(|(name, count)| (name.clone(), *count)).collect()
}

pub(super) fn analyse(kernels: &[Kernel]) -> Result<Application, Failure> {
    let files = program::sources(kernels).into_iter().map(|(path, text)| LoadedSource {
        path,
        text,
        role: Role::Driver,
        analyse: true,
    });
    let sources = Sources { files: files.collect(), ..Sources::default() };
    Ok(Application::analyse(sources, Granularity::Expression)?)
}

/// Counts per iteration, from two runs on the local JVM.
fn count(
    application: &Application,
    kernels: &[Kernel],
    builder: &mut VariantBuilder<'_>,
    jdk: &Jdk,
) -> Result<BTreeMap<String, BTreeMap<String, f64>>, Failure> {
    let variant = builder.build(&BTreeSet::new(), Probe::Count)?;
    let mut runs = Vec::new();
    for iterations in COUNTED {
        let folder = tempfile::tempdir().map_err(Failure::io("create", std::env::temp_dir()))?;
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

fn windows_csv(runs: &[Vec<KernelRun>]) -> String {
    let mut text = "kernel,repeat,iterations,collections,energy_j,duration_s,device\n".to_string();
    for (repeat, runs) in runs.iter().enumerate() {
        for run in runs {
            let KernelRun { name, device, iterations, collections, energy_j, duration_s } = run;
            let of_run = format!("{iterations},{collections},{energy_j},{duration_s},{device}");
            text += &format!("{name},{},{of_run}\n", repeat + 1);
        }
    }
    text
}

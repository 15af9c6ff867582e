//! `wattline activities`: logs of power states and activities -> energy by component, by
//! activity and over time.

mod columns;
mod figures;
mod log_reader;
mod questions;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use crate::attribution::activities::{
    API_FILE, API_SOURCE, AccountOptions, Analysis, AnalysisOptions, ContainmentQuestion,
    EquationWeights, Labels, LoggingAttribution, NodeLog, analyse, nanoseconds_to_seconds, output,
    seconds_to_nanoseconds,
};
use crate::energies::of_activities;
use crate::failure::Failure;
use crate::folder::{OnExisting, Output};
use crate::report::activities_page;

use self::questions::QuestionAnswers;
use super::answer::{AnswerFormat, FormatArgument};
use super::energies::EnergyRowsFile;
use super::progress;
use super::quantity::number_between;

/// File name of the page with pictures and tables.
pub const ACTIVITIES_PAGE: &str = "activities.html";
/// Names of the files that an analysis writes.
const RESULT_FILES: [&str; 11] = [
    "powers.csv",
    "energy.csv",
    "activities.csv",
    "duty-cycles.csv",
    "time-matrix.csv",
    "power-matrix.csv",
    "energy-matrix.csv",
    "timeline.csv",
    "findings.csv",
    ACTIVITIES_PAGE,
    "activities.perfetto-trace",
];

/// Number of steps in `timeline.csv` unless their length is given.
const DEFAULT_STEPS: f64 = 200.0;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  wattline activities phone.pftrace --class little=cpu0,cpu1,cpu2,cpu3 --out target/phone
  wattline activities logcat.txt samples.txt --rails arm,mem --out target/board
  wattline activities busy.csv --against quiet.csv --supply-v 3.35 --out target/radio

Several binary logs are several nodes; other logs are of one device and one clock. Writes
activities.html and tables; docs/reference/activity-logs.md describes formats and files."
)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<ActivitiesCommand>,
    #[command(flatten)]
    account: Option<AccountArguments>,
}

#[derive(Debug, Subcommand)]
enum ActivitiesCommand {
    /// Write the Java class that programs name their activities with.
    Api {
        /// A source folder; the file is wattline/Activities.java below it.
        #[arg(long)]
        out: PathBuf,
        /// Replace an existing file.
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, Args)]
struct AccountArguments {
    /// Logs: binary, CSV, Perfetto traces, batterystats, state intervals, lines of the API,
    /// samples of a meter.
    #[arg(required = true)]
    logs: Vec<PathBuf>,
    /// What the logs are; told from their contents, unless given.
    #[arg(long, value_enum, value_name = "FORMAT")]
    log_format: Option<log_reader::LogFormat>,
    /// Names of a binary log's numbers (TOML); as often as there are binary logs.
    #[arg(long)]
    names: Vec<PathBuf>,
    /// Name of the device whose logs are not binary.
    #[arg(long, default_value = "device")]
    node: String,
    /// Rails of the meter to add up, separated by commas; all, unless given.
    #[arg(long, value_delimiter = ',')]
    rails: Vec<String>,
    /// The machine, where a trace or an archive of traces is of several: its name or number.
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// Components with one power per state: `little=cpu0,cpu1`. May be given more than once.
    #[arg(long = "class", value_name = "NAME=COMPONENT,...")]
    classes: Vec<String>,
    /// How much each equation counts.
    #[arg(long, value_enum, default_value = "sqrt-et")]
    weight: WeightArgument,
    /// Whether writing the log is an activity of its own.
    #[arg(long, value_enum, default_value = "within")]
    logging: LoggingArgument,
    /// Volts of the supply: currents stand beside powers. Instead of what names of a binary log
    /// say.
    #[arg(long, value_name = "VOLTS", value_parser = number_between(0.001, 1e6, "V"))]
    supply_v: Option<f64>,
    /// How many occurrences of one thing have another in them, and how many have not:
    /// `Radio=1:receive`. Each is a component (away from its baseline), COMPONENT:STATE, or an
    /// activity. May be given more than once.
    #[arg(long, value_name = "OUTER=INNER", value_parser = questions::parse_question)]
    occurrences: Vec<ContainmentQuestion>,
    /// Logs to compare with, the base: of a device, or nodes of the same names.
    #[arg(long, value_name = "LOG", num_args = 1..)]
    against: Vec<PathBuf>,
    /// Seconds of a step of timeline.csv; about 200 steps, unless given.
    #[arg(long, value_parser = number_between(1e-9, 1e9, "s"))]
    step_s: Option<f64>,
    /// Where the picture begins, in seconds of the logs' clock.
    #[arg(long, value_parser = number_between(-9e9, 9e9, "s"), allow_negative_numbers = true)]
    from_s: Option<f64>,
    /// Where it ends.
    #[arg(long, value_parser = number_between(-9e9, 9e9, "s"), allow_negative_numbers = true)]
    to_s: Option<f64>,
    /// Folder for the results.
    #[arg(long, required_unless_present = "partial")]
    out: Option<PathBuf>,
    // Not flattened: arguments that are flattened twice are not seen to be there.
    /// Parquet file for rows of energy by key, which SQL adds up over recordings to the last
    /// digit (docs/reference/energies.md); `-` is standard output, where nothing else is written then.
    #[arg(long, value_name = "FILE")]
    partial: Option<PathBuf>,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
    // Not flattened either.
    /// What is printed: text for people, or one JSON object for programs (docs/agents.md).
    #[arg(long, value_enum, default_value_t)]
    format: AnswerFormat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum WeightArgument {
    /// sqrt(E t), as Quanto does.
    SqrtEt,
    /// All alike.
    Equal,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LoggingArgument {
    /// Part of the activities in whose time it happens.
    Within,
    /// Taken out of them.
    Apart,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match (&arguments.command, &arguments.account) {
        (Some(ActivitiesCommand::Api { out, force }), _) => write_api(out, (*force).into()),
        (None, Some(account)) => run_account(account),
        (None, None) => Err(Failure::Usage("give a log, or `api`".into())),
    }
}

fn write_api(out: &Path, existing: OnExisting) -> Result<(), Failure> {
    let path = Output::open(out, existing, &progress::TERMINAL)?.write(API_FILE, API_SOURCE)?;
    progress::say(format!("written: {}", path.display()));
    Ok(())
}

fn run_account(arguments: &AccountArguments) -> Result<(), Failure> {
    check_picture_span(arguments)?;
    let energies = arguments.partial.as_deref();
    let energies = energies.map(|path| EnergyRowsFile::open(path, arguments.force)).transpose()?;
    let has_rows_on_output = energies.as_ref().is_some_and(EnergyRowsFile::is_standard_output);
    let format = FormatArgument::from(arguments.format);
    format.check_alone(has_rows_on_output)?;
    let output = arguments.out.as_deref().map(|out| open_output(arguments, out));
    let output = output.transpose()?;
    let mut labels = Labels::default();
    let logs = read(arguments, &arguments.logs, &arguments.names, &mut labels)?;
    check_span_in_logs(arguments, &logs)?;
    let options = analysis_options(arguments, &logs);
    let base = read_base_logs(arguments, &mut labels)?;
    let analyses = analyse_logs(logs, &labels, &options)?;
    let base = base.map(|logs| analyse_logs(logs, &labels, &options)).transpose()?;
    let answers = QuestionAnswers::of(&arguments.occurrences, &analyses, base.as_deref(), &labels)?;
    if let Some(output) = &output {
        write_results(arguments, output, &analyses, &answers, &labels)?;
    }
    if let Some(energies) = &energies {
        energies.write_rows(&joint_name(&arguments.logs), of_activities(&analyses, &labels))?;
    }
    for remark in analyses.iter().flat_map(|analysis| &analysis.remarks) {
        progress::warn_in_line(format!("{}: {}", remark.kind, remark.message));
    }
    for remark in base.iter().flatten().flat_map(|analysis| &analysis.remarks) {
        progress::warn_in_line(format!("--against: {}: {}", remark.kind, remark.message));
    }
    if !has_rows_on_output {
        let text = || {
            let summary = output::summary_text(&analyses, &labels, options.account.logging);
            summary + &answers.text()
        };
        format.print("activities", &figures::figures(&analyses, &answers, &labels), text);
    }
    let files = result_files(arguments);
    for path in output.iter().flat_map(|output| files.iter().map(|file| output.path(file))) {
        progress::say(format!("written: {}", path.display()));
    }
    Ok(())
}

/// Returns the names of the files that these arguments write.
fn result_files(arguments: &AccountArguments) -> Vec<&'static str> {
    let occurrences = (!arguments.occurrences.is_empty()).then_some(questions::OCCURRENCES_FILE);
    let comparison = (!arguments.against.is_empty()).then_some(questions::COMPARISON_FILE);
    RESULT_FILES.into_iter().chain(occurrences).chain(comparison).collect()
}

/// Opens the folder of the results, without existing ones.
fn open_output(arguments: &AccountArguments, out: &Path) -> Result<Output, Failure> {
    let existing: OnExisting = arguments.force.into();
    let output = Output::open(out, existing, &progress::TERMINAL)?;
    output.check_free(&result_files(arguments))?;
    Ok(output)
}

/// Reads the given logs, with the options of the arguments.
fn read(
    arguments: &AccountArguments,
    logs: &[PathBuf],
    names: &[PathBuf],
    labels: &mut Labels,
) -> Result<Vec<NodeLog>, Failure> {
    let inputs = log_reader::LogInputs {
        logs,
        format: arguments.log_format,
        names,
        node: &arguments.node,
        rails: &arguments.rails,
        machine: arguments.machine.as_deref(),
    };
    let mut found = log_reader::read_logs(&inputs, labels)?;
    set_component_classes(&mut found, &arguments.classes)?;
    for log in &mut found {
        log.supply_v = arguments.supply_v.or(log.supply_v);
    }
    Ok(found)
}

/// Reads the logs to compare with; files of names of binary ones are beside them.
fn read_base_logs(
    arguments: &AccountArguments,
    labels: &mut Labels,
) -> Result<Option<Vec<NodeLog>>, Failure> {
    let against = &arguments.against;
    (!against.is_empty()).then(|| read(arguments, against, &[], labels)).transpose()
}

fn analyse_logs(
    logs: Vec<NodeLog>,
    labels: &Labels,
    options: &AnalysisOptions,
) -> Result<Vec<Analysis>, Failure> {
    let all = logs.into_iter().map(|log| analyse(log, labels, options));
    Ok(all.collect::<Result<_, _>>()?)
}

/// Returns the joint name of the logs.
fn joint_name(logs: &[PathBuf]) -> String {
    logs.iter().map(|log| log.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Checks that the picture's time ends after it begins.
fn check_picture_span(arguments: &AccountArguments) -> Result<(), Failure> {
    match (arguments.from_s, arguments.to_s) {
        (Some(from), Some(to)) if from >= to => Err(Failure::Usage(format!(
            "--from-s {from} --to-s {to}: the picture ends before it begins"
        ))),
        _ => Ok(()),
    }
}

/// Checks that the picture's time overlaps with that of the logs.
fn check_span_in_logs(arguments: &AccountArguments, logs: &[NodeLog]) -> Result<(), Failure> {
    let spans = logs.iter().filter_map(NodeLog::span);
    let whole = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let Some((first, last)) = whole else { return Ok(()) };
    let is_after = arguments.from_s.is_some_and(|from| seconds_to_nanoseconds(from) >= last);
    let is_before = arguments.to_s.is_some_and(|to| seconds_to_nanoseconds(to) <= first);
    if !(is_after || is_before) {
        return Ok(());
    }
    let (flag, first, last) = (
        if is_after { "--from-s" } else { "--to-s" },
        nanoseconds_to_seconds(first),
        nanoseconds_to_seconds(last),
    );
    Err(Failure::Usage(format!("{flag}: the logs reach from {first:.6} s to {last:.6} s")))
}

fn analysis_options(arguments: &AccountArguments, logs: &[NodeLog]) -> AnalysisOptions {
    let longest =
        logs.iter().filter_map(NodeLog::metered_span).map(|(start, end)| end - start).max();
    let longest_s = nanoseconds_to_seconds(longest.unwrap_or_default());
    let step_s = arguments.step_s.unwrap_or_else(|| round_step(longest_s / DEFAULT_STEPS));
    // No more steps than anyone can want, so that memory is bounded.
    let step_s = step_s.max(longest_s / 1e6);
    let logging = match arguments.logging {
        LoggingArgument::Within => LoggingAttribution::Within,
        LoggingArgument::Apart => LoggingAttribution::Apart,
    };
    let weights = match arguments.weight {
        WeightArgument::SqrtEt => EquationWeights::SqrtEnergyTime,
        WeightArgument::Equal => EquationWeights::Equal,
    };
    AnalysisOptions {
        weights,
        account: AccountOptions { step_ns: seconds_to_nanoseconds(step_s), logging },
    }
}

/// Returns the next greater number of 1, 2, 5, 10, ...
fn round_step(seconds: f64) -> f64 {
    if !(seconds.is_finite() && seconds > 0.0) {
        return 0.0;
    }
    let power = 10f64.powf(seconds.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= seconds).unwrap_or(seconds)
}

/// Puts components into classes; an unknown component is an error.
fn set_component_classes(logs: &mut [NodeLog], classes: &[String]) -> Result<(), Failure> {
    for class in classes {
        let (name, members) = class.split_once('=').ok_or_else(|| {
            Failure::Usage(format!("--class {class}: it needs NAME=COMPONENT,..."))
        })?;
        for member in members.split(',').map(str::trim) {
            let components = logs.iter_mut().flat_map(|log| &mut log.components);
            let mut found = false;
            for component in components.filter(|component| component.name == member) {
                (component.class, found) = (name.to_owned(), true);
            }
            if !found {
                let known = logs.iter().flat_map(|log| &log.components);
                let known: Vec<&str> = known.map(|component| component.name.as_str()).collect();
                return Err(Failure::Usage(format!(
                    "--class {class}: there is no component {member}; there are {}",
                    known.join(", ")
                )));
            }
        }
    }
    Ok(())
}

/// Returns the page's subtitle: the logs, and the simulated nodes.
fn subtitle(logs: &[PathBuf], analyses: &[Analysis]) -> String {
    let simulated = analyses.iter().filter(|analysis| analysis.log.is_simulated);
    let simulated: Vec<&str> = simulated.map(|analysis| analysis.log.node.as_str()).collect();
    let from = format!("From {}", joint_name(logs));
    match simulated.is_empty() {
        true => from,
        false => format!(
            "{from}. Simulated ({}): the energies are computed, not measured.",
            simulated.join(", ")
        ),
    }
}

fn write_results(
    arguments: &AccountArguments,
    output: &Output,
    analyses: &[Analysis],
    answers: &QuestionAnswers,
    labels: &Labels,
) -> Result<(), Failure> {
    let subtitle = subtitle(&arguments.logs, analyses);
    let window =
        (arguments.from_s.map(seconds_to_nanoseconds), arguments.to_s.map(seconds_to_nanoseconds));
    output.write("powers.csv", output::powers_csv(analyses))?;
    output.write("energy.csv", output::energy_csv(analyses, labels))?;
    output.write("activities.csv", output::activities_csv(analyses, labels))?;
    output.write("duty-cycles.csv", output::duty_cycles_csv(analyses, labels))?;
    output.write("time-matrix.csv", output::time_matrix_csv(analyses, labels))?;
    output.write("power-matrix.csv", output::power_matrix_csv(analyses))?;
    output.write("energy-matrix.csv", output::energy_matrix_csv(analyses, labels))?;
    output.write("timeline.csv", output::timeline_csv(analyses, labels))?;
    output.write("findings.csv", output::findings_csv(analyses))?;
    let page = activities_page(analyses, labels, &subtitle, window, &answers.sections());
    output.write(ACTIVITIES_PAGE, page)?;
    output.write("activities.perfetto-trace", output::perfetto_trace(analyses, labels))?;
    for (file, text) in answers.files() {
        output.write(file, text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        assert_eq!([0.24, 1.1, 6.0].map(round_step), [0.5, 2.0, 10.0]);
        assert_eq!(round_step(0.0), 0.0);
    }
}

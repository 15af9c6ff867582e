//! The command line: the only place with flags, colours and standard output. One file
//! per command; each reads files and writes files, so that every stage can be run,
//! looked at and repeated alone.

mod account;
mod activities;
mod answer;
mod board;
mod boards;
mod calls;
mod campaign_in_progress;
mod command_groups;
mod compare;
mod completions;
mod dataset;
#[cfg(test)]
mod documented;
mod energies;
mod error;
mod evaluate;
mod export;
mod fit;
mod hints;
mod instrument;
mod leftovers;
mod microbenchmarks;
mod monitor;
mod origin;
mod outcome;
mod own_socket;
mod package;
mod partial_file;
mod patterns;
mod pipeline;
mod plan;
mod predict;
mod progress;
mod progress_estimate;
mod project_arguments;
mod quantity;
mod random_order;
mod report;
mod run;
mod scan;
mod schedule;
mod schema;
mod shutdown;
mod source_arguments;
mod standard_output;
mod stop;
mod suggest;
mod tenants;
mod trace;
mod user_table;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{FromArgMatches as _, Parser, Subcommand};

use crate::failure::Failure;

use self::outcome::CommandOutcome;

/// Show which Java methods and lines spend energy, how certain that is, and
/// whether a rewrite helps.
#[derive(Debug, Parser)]
#[command(name = "wattline", version, arg_required_else_help = true, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Print results and errors only.
    #[arg(short, long, global = true)]
    quiet: bool,
}

const AFTER_HELP: &str = "\
Example:
  wattline scan src/main/java --out target/scan
Exit codes: 0 done, 1 check failed, 2 wrong usage, 3 invalid input, 4 board failed,
5 no data to answer with.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Split sources into basic blocks and count their operations.
    Scan(scan::Arguments),
    /// Write a copy of the sources with probes, or without some blocks.
    Instrument(instrument::Arguments),
    /// Run a program on this JVM and count the executions of each block.
    Trace(trace::Arguments),
    /// Make an Android package of a scenario's application.
    Package(package::Arguments),
    /// Choose the cases of a campaign, by dry runs.
    Plan(plan::Arguments),
    /// Measure the cases of a campaign on a board.
    Run(run::Arguments),
    /// Turn the runs of a campaign into a data set.
    Dataset(dataset::Arguments),
    /// Measure microbenchmarks for the operations that an application executes most.
    Microbenchmarks(microbenchmarks::Arguments),
    /// Measure the energy of bytecode patterns on a board.
    Patterns(patterns::Arguments),
    /// Fit costs to a data set, with cross-validation.
    Fit(fit::Arguments),
    /// Predict the energy of inputs that were not measured.
    Predict(predict::Arguments),
    /// Account energy to operations, blocks, lines, methods and classes.
    Account(account::Arguments),
    /// Record call paths, for inclusive energies and energies by thread.
    Calls(calls::Arguments),
    /// Compare accounts with the ground truth of a virtual board.
    Evaluate(evaluate::Arguments),
    /// List rewrites that save energy, or apply them.
    Hints(hints::Arguments),
    /// Compare two campaigns, or a campaign and a patch.
    Compare(compare::Arguments),
    /// Write the report of a campaign: one HTML page.
    Report(report::Arguments),
    /// Write profiles, traces and coverage files for other tools.
    Export(export::Arguments),
    /// Show the power of processes and JVM methods while they run.
    Monitor(Box<monitor::Arguments>),
    /// Divide energy among virtual machines, processes or applications.
    Tenants(tenants::Arguments),
    /// Account energy to components and activities, from logs.
    Activities(activities::Arguments),
    /// Start the virtual board, list boards, or check one.
    Board(board::Arguments),
    /// Measure, fit and report, all in one folder.
    Pipeline(pipeline::Arguments),
    /// Print the keys and columns of files: JSON schemas, tables.
    Schema(schema::Arguments),
    /// Print completions for a shell.
    Completions(completions::CompletionsArguments),
    /// Write man pages.
    Man(completions::ManArguments),
}

/// Parses the arguments, runs the command and returns its exit code.
pub fn main() -> ExitCode {
    if let Some(code) = crate::virtual_board::shim::run_if_shim() {
        return code;
    }
    let words: Vec<OsString> = std::env::args_os().collect();
    let program = command_groups::program();
    let matches = program.clone().try_get_matches_from(&words);
    let arguments = match matches.and_then(|found| Arguments::from_arg_matches(&found)) {
        Ok(arguments) => arguments,
        Err(error) => {
            return print_help_or_error(suggest::add_suggestion(error, &program, &words));
        }
    };
    progress::set_quiet(arguments.quiet);
    let temporary = leftovers::temporary_folder();
    stop::clean_up_on_signals(temporary.as_ref().map(|folder| folder.path().to_path_buf()));
    let done = run(arguments.command);
    crate::private_files::remove_temporary_cache();
    stop::wait_for_end();
    match (done, standard_output::check()) {
        (Ok(outcome), Ok(())) => {
            if let CommandOutcome::Program { code } = outcome {
                progress::program_failed(code);
            }
            ExitCode::from(outcome.exit_code())
        }
        (Ok(_), Err(lost)) => print_failure(&lost),
        (Err(failure), printed) => {
            progress::error(&failure);
            if let Some(sentence) =
                campaign_in_progress::kept_progress().filter(|_| failure.can_be_resumed())
            {
                progress::remedy(sentence);
            }
            if let Err(lost) = printed {
                progress::error(&lost);
            }
            ExitCode::from(error::exit_code(&failure))
        }
    }
}

/// Prints help, the version, or an error of the arguments, and returns the exit code.
fn print_help_or_error(answer: clap::Error) -> ExitCode {
    if answer.use_stderr() {
        suggest::print_error(answer);
        return ExitCode::from(error::exit::USAGE);
    }
    standard_output::remember_outcome(answer.print());
    standard_output::check().map_or_else(|lost| print_failure(&lost), |()| ExitCode::SUCCESS)
}

/// Prints a failure and returns its exit code.
fn print_failure(failure: &Failure) -> ExitCode {
    progress::error(failure);
    ExitCode::from(error::exit_code(failure))
}

impl Command {
    /// Whether the command shares its work among threads, instead of only waiting.
    fn shares_work(&self) -> bool {
        !matches!(
            self,
            Self::Export(_)
                | Self::Monitor(_)
                | Self::Tenants(_)
                | Self::Activities(_)
                | Self::Board(_)
                | Self::Schema(_)
                | Self::Completions(_)
                | Self::Man(_)
        )
    }
}

/// Starts the threads of rayon, which would panic later where the system gives none.
fn start_threads() -> Result<(), Failure> {
    let started = rayon::ThreadPoolBuilder::new().build_global();
    started.map_err(|source| Failure::Threads { source })
}

/// Runs the parsed command.
fn run(command: Command) -> Result<CommandOutcome, Failure> {
    if command.shares_work() {
        start_threads()?;
    }
    let done = match command {
        Command::Trace(arguments) => return trace::run(&arguments),
        Command::Patterns(arguments) => return patterns::run(&arguments),
        Command::Compare(arguments) => return compare::run(&arguments),
        Command::Monitor(arguments) => return monitor::run(&arguments),
        Command::Scan(arguments) => scan::run(&arguments),
        Command::Instrument(arguments) => instrument::run(&arguments),
        Command::Package(arguments) => package::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Dataset(arguments) => dataset::run(&arguments),
        Command::Microbenchmarks(arguments) => microbenchmarks::run(&arguments),
        Command::Fit(arguments) => fit::run(&arguments),
        Command::Predict(arguments) => predict::run(&arguments),
        Command::Account(arguments) => account::run(&arguments),
        Command::Calls(arguments) => calls::run(&arguments),
        Command::Evaluate(arguments) => evaluate::run(&arguments),
        Command::Hints(arguments) => hints::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Tenants(arguments) => tenants::run(&arguments),
        Command::Activities(arguments) => activities::run(&arguments),
        Command::Board(arguments) => board::run(&arguments),
        Command::Pipeline(arguments) => pipeline::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Completions(arguments) => completions::completions(&arguments),
        Command::Man(arguments) => completions::man(&arguments),
    };
    done.map(|()| CommandOutcome::Done)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command_groups::program().debug_assert();
    }
}

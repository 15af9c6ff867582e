//! `wattline compare`: two campaigns, a campaign and a patch, or recordings of `monitor` ->
//! changes and a verdict.

mod campaign;
mod campaign_comparison;
mod patch;
mod recordings;
mod work_differences;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::compare::{self, AllowedIncrease, Budgets, Comparison, GateVerdict};
use crate::failure::Failure;
use crate::folder::{OnExisting, Output, read_text};
use crate::report::compare_page;

use super::error::exit;
use super::outcome::CommandOutcome;
use super::progress;
use super::quantity::{PRINTED_ROWS_MAX, number_between, whole_number_between};
use super::source_arguments::ClassPathArguments;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline compare target/base target/new --max-increase 2
  wattline compare target/base --source src/main/java
  wattline compare rec/a1 rec/b1 --base-repeats rec/a2 rec/a3 --new-repeats rec/b2 rec/b3

Exit codes: 0 no certain increase over the limit; 1 check failed: an increase over the limit
or a budget; 5 no data: not measured, measured once, or different work.")]
pub struct Arguments {
    /// Folder of the campaign to compare with, as `pipeline` wrote it; or a recording of
    /// `monitor`.
    base: PathBuf,
    /// Folder of the new campaign, or the new recording.
    #[arg(required_unless_present = "source", conflicts_with = "source")]
    new: Option<PathBuf>,
    /// More recordings of the base: its repeats, which give intervals.
    #[arg(long, num_args = 1.., value_name = "FOLDER")]
    base_repeats: Vec<PathBuf>,
    /// More recordings of the new side.
    #[arg(long, num_args = 1.., value_name = "FOLDER")]
    new_repeats: Vec<PathBuf>,
    /// Changed sources instead of a campaign: predicts from the base's counts and model.
    #[arg(long, num_args = 1..)]
    source: Vec<PathBuf>,
    #[command(flatten)]
    classes: ClassPathArguments,
    /// Increase that is allowed, in percent of the base's energy above idle.
    #[arg(long, value_name = "PCT", default_value_t = 100.0 * AllowedIncrease::default().0,
          value_parser = number_between(0.0, 1e6, "%"))]
    max_increase: f64,
    /// Standard deviation that repeating a whole campaign adds, in percent.
    #[arg(long, value_name = "PCT", default_value_t = 0.0,
          value_parser = number_between(0.0, 1e6, "%"))]
    between_campaigns: f64,
    /// Whose model prices the methods.
    #[arg(long, value_enum, default_value = "base")]
    model: ModelChoice,
    /// Budgets in joules, by scenario, input, class and method.
    #[arg(long, value_name = "FILE")]
    budgets: Option<PathBuf>,
    /// Compare although the boards or their settings differ.
    #[arg(long)]
    across_boards: bool,
    /// What is printed.
    #[arg(long, value_enum, default_value = "text")]
    format: CompareFormat,
    /// How many classes and methods are printed.
    #[arg(long, default_value_t = 20, value_parser = whole_number_between(0, PRINTED_ROWS_MAX))]
    limit: usize,
    /// Folder for compare.md, compare.json, compare.xml (JUnit) and compare.html.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModelChoice {
    /// The base's prices both sides, so that its errors are shared.
    Base,
    /// Each side's own.
    Own,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum CompareFormat {
    /// For a terminal.
    Text,
    /// For a pull request.
    Markdown,
    /// For programs.
    Json,
    /// For build servers.
    Junit,
    /// For a browser: tables, and a flame graph coloured by the change.
    Html,
}

/// Prints a comparison in the format of the flags.
fn print(comparison: &Comparison, arguments: &Arguments) {
    let document = match arguments.format {
        CompareFormat::Text => {
            let text = compare::text::text(comparison, arguments.limit);
            return progress::result(text.trim_end());
        }
        CompareFormat::Markdown => compare::markdown::markdown(comparison, arguments.limit),
        CompareFormat::Json => compare::json::json(comparison),
        CompareFormat::Junit => compare::junit::junit(comparison),
        CompareFormat::Html => compare_page(comparison),
    };
    progress::document(document.trim_end());
}

/// Files below `--out`.
const COMPARISON_FILES: [&str; 4] = ["compare.md", "compare.json", "compare.xml", "compare.html"];

pub fn run(arguments: &Arguments) -> Result<CommandOutcome, Failure> {
    let output = match &arguments.out {
        Some(out) => {
            let output = Output::open(out, OnExisting::from(arguments.force), &progress::TERMINAL)?;
            output.check_free(&COMPARISON_FILES)?;
            Some(output)
        }
        None => None,
    };
    let comparison = match &arguments.new {
        _ if recordings::are_recordings_given(arguments)? => {
            recordings::compare_recordings(arguments)?
        }
        Some(new) => campaign_comparison::compare_campaigns(arguments, new)?,
        None => patch::compare_with_patch(arguments)?,
    };
    if let Some(output) = output {
        output.write(
            COMPARISON_FILES[0],
            compare::markdown::markdown(&comparison, arguments.limit),
        )?;
        output.write(COMPARISON_FILES[1], compare::json::json(&comparison))?;
        output.write(COMPARISON_FILES[2], compare::junit::junit(&comparison))?;
        output.write(COMPARISON_FILES[3], compare_page(&comparison))?;
        for file in COMPARISON_FILES {
            progress::say(format!("written: {}", output.path(file).display()));
        }
    }
    print(&comparison, arguments);
    Ok(match comparison.verdict() {
        GateVerdict::Pass => CommandOutcome::Done,
        GateVerdict::OverBudget | GateVerdict::Increase => {
            CommandOutcome::Verdict { code: exit::CHECK_FAILED }
        }
        GateVerdict::NoData => CommandOutcome::Verdict { code: exit::NO_DATA },
    })
}

fn budget_rows(
    arguments: &Arguments,
    spending: &compare::budget::Spending,
) -> Result<Vec<compare::BudgetRow>, Failure> {
    let Some(path) = &arguments.budgets else { return Ok(Vec::new()) };
    let input = |error| Failure::input(path, error);
    Budgets::parse(&read_text(path)?).map_err(input)?.check(spending).map_err(input)
}

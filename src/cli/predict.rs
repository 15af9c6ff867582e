//! `wattline predict`: energy of cases by a model, beside the measured energy, and of runs that
//! were only counted, by a campaign's accounts.

use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;
use crate::folder::{OnExisting, Output, read_text};
use crate::model::bayes::KnownEffects;

use super::answer::FormatArgument;
use super::progress;

mod budget;
mod case_prediction;
mod case_table;
mod comparison;
mod costs;
mod counted;
mod effects;
mod json;
mod text;

pub use case_prediction::predictions_table_schema;

use budget::BudgetFlag;
use case_prediction::{CasePrediction, predictions_csv};
use comparison::{CaseComparison, comparisons_csv};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline predict target/fit/model.json programs.csv --budget 1.5 --compare fast slow
  wattline predict target/demo target/new --out target/p
  wattline predict target/patterns/effects.csv programs.csv --over device --out target/p

Takes a model and counted cases, the folder of a campaign and one of `trace`, or effects of
patterns. Writes predictions.csv (expected energy and a new measurement, with 95 % intervals) and
comparisons.csv. docs/how-to/predict.md explains each.")]
pub struct Arguments {
    /// model.json of a fit, effects.csv of `fit --factors`, or the folder of a campaign.
    model: PathBuf,
    /// Cases with their counts: dataset.csv. contexts.csv is taken if it lies beside. By the
    /// folder of a campaign: a folder of `wattline trace`.
    dataset: PathBuf,
    /// With effects.csv, a factor whose level is not known (a device that was not measured): all
    /// of its levels alike, with the spread between them.
    #[arg(long, value_name = "FACTOR")]
    over: Option<String>,
    /// Budget in joules, of all cases or of one: shows the probability of an energy below it.
    #[arg(long, value_name = "[CASE=]JOULES")]
    budget: Vec<BudgetFlag>,
    /// Two cases: shows the probability that the first spends less than the second. May be
    /// repeated.
    #[arg(long, num_args = 2, value_names = ["CASE", "CASE"])]
    compare: Vec<String>,
    #[command(flatten)]
    format: FormatArgument,
    /// Folder for the result.
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// Replace an existing result.
    #[arg(long)]
    force: bool,
}

const FILE: &str = "predictions.csv";

/// File of the comparisons, written if any are asked for.
const COMPARISONS: &str = "comparisons.csv";

/// Predicted cases with their comparisons.
struct Predictions {
    cases: Vec<CasePrediction>,
    comparisons: Vec<CaseComparison>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output =
        Output::open(&arguments.out, OnExisting::from(arguments.force), &progress::TERMINAL)?;
    output.check_free(&[FILE, COMPARISONS])?;
    let mut found = predictions(arguments)?;
    budget::set_budgets(&arguments.budget, &mut found.cases)?;
    // Comparisons of earlier predictions are not of these.
    output.discard(&[COMPARISONS])?;
    output.write(FILE, predictions_csv(&found.cases))?;
    arguments.format.print("predict", &json::figures(&found), || text::screen(&found));
    progress::say(format!("written: {}", output.path(FILE).display()));
    if !arguments.compare.is_empty() {
        output.write(COMPARISONS, comparisons_csv(&found.comparisons))?;
        progress::say(format!("written: {}", output.path(COMPARISONS).display()));
    }
    Ok(())
}

/// Predictions by the kind of model: campaign, effects or costs.
fn predictions(arguments: &Arguments) -> Result<Predictions, Failure> {
    if arguments.model.is_dir() {
        refuse_over(arguments)?;
        return counted::predictions(arguments);
    }
    let text = read_text(&arguments.model)?;
    match KnownEffects::is_table(&text) {
        true => effects::predictions(arguments, &text),
        false => {
            refuse_over(arguments)?;
            costs::predictions(arguments, &text)
        }
    }
}

/// Refuses `--over` for a model without factors.
fn refuse_over(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.over {
        Some(factor) => {
            Err(Failure::Usage(format!("--over {factor}: only effects.csv has factors")))
        }
        None => Ok(()),
    }
}

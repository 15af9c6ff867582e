//! `wattline predict`: energy of cases by a model, beside the measured energy, and of runs that
//! were only counted, by a campaign's accounts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::folder::{OnExisting, Output, read_text};
use crate::model::bayes::KnownEffects;

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

use budget::BudgetFlag;
use case_prediction::{CasePrediction, predictions_csv};
use comparison::{CaseComparison, comparisons_csv};

#[derive(Debug, Args)]
#[command(after_help = "\
Example, microbenchmarks alone against a campaign's programs:
  wattline fit target/demo/dataset.csv --prior target/demo/microbenchmarks.csv --penalty 1e9 \\
      --out target/microbenchmarks-alone
  wattline predict target/microbenchmarks-alone/model.json target/demo/dataset.csv --out target/p

Writes predictions.csv, a row per case: measured energy with its standard error over the
repeats, predicted energy with its 95 % interval (that of the expected energy), their difference
in percent, and the standard deviation and 95 % interval of a new measurement, which has the
residuals of the fit as well. The measured energy may be missing: a model predicts what was only
counted. A model of several boards predicts for the board in the case's `device` column, and for
its own where it does not know that one; the column `device` shows which.

Example, whether a program keeps a budget, and whether one spends less than another:
  wattline predict target/fit/model.json programs.csv --budget 1.5 --budget slow=2.5 \\
      --compare fast slow --out target/p
predictions.csv then has the probabilities of an energy below the budget, of the expected energy
and of a new measurement, and comparisons.csv the difference of each pair with its intervals and
the probability that the first spends less. Errors that both have in common cancel.

Example, an input that was never measured, by a campaign's accounts:
  wattline trace src/main/java --main com.example.Main --granularity expression \\
      --out target/new -- --input new.txt
  wattline predict target/demo target/new --out target/p

A block spends on an execution what it spent in the campaign, by samples where there were any;
one that the campaign did not run (changed, or new), or too rarely for its samples to tell, costs
what its operations do. Without idle energy, compilers and collector. The interval holds what is unsure of the accounts, and how far
inputs are from what those of other inputs say of them, by the campaign's unseen.csv.

Example, bytecode patterns by the effects of `fit --factors`:
  wattline predict target/patterns/effects.csv programs.csv --out target/p
  wattline predict target/patterns/effects.csv programs.csv --over device --out target/p

programs.csv has a column for each factor (operation,size,type,device; empty: it doesn't
apply) and may have `case` (rows of one case are added up), `executions` (1 unless given) and
`energy_j` (measured, of one execution). Intervals come from draws.csv beside effects.csv.")]
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
    /// What is printed.
    #[arg(long, value_enum, default_value = "text")]
    format: PredictionFormat,
    /// Folder for the result.
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// Replace an existing result.
    #[arg(long)]
    force: bool,
}

/// Form of the printed predictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PredictionFormat {
    /// Tables.
    Text,
    /// A JSON document.
    Json,
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
    output.check_free(&[FILE])?;
    let has_comparisons = !arguments.compare.is_empty();
    if has_comparisons {
        output.check_free(&[COMPARISONS])?;
    }
    let mut found = predictions(arguments)?;
    budget::set_budgets(&arguments.budget, &mut found.cases)?;
    output.write(FILE, predictions_csv(&found.cases))?;
    progress::result(match arguments.format {
        PredictionFormat::Text => text::screen(&found),
        PredictionFormat::Json => json::document(&found),
    });
    progress::say(format!("written: {}", output.path(FILE).display()));
    if has_comparisons {
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
            costs::predictions(arguments)
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

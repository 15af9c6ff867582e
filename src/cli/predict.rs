//! `wattline predict`: energy of cases by a model, beside the measured energy, and of runs that
//! were only counted, by a campaign's accounts.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::Args;

use crate::account::Interval;
use crate::csv_text;
use crate::dataset::DatasetFile;
use crate::failure::Failure;
use crate::folder::{OnExisting, Output, read_artifact, read_text};
use crate::format::visible_name;
use crate::model::Model;
use crate::model::bayes::KnownEffects;
use crate::model::table::Table;
use crate::units::Joules;

use super::progress;

mod counted;
mod effects;

#[derive(Debug, Args)]
#[command(after_help = "\
Example, microbenchmarks alone against a campaign's programs:
  wattline fit target/demo/dataset.csv --prior target/demo/microbenchmarks.csv --penalty 1e9 \\
      --out target/microbenchmarks-alone
  wattline predict target/microbenchmarks-alone/model.json target/demo/dataset.csv --out target/p

Writes predictions.csv, a row per case: measured energy with its standard error over the
repeats, predicted energy with its 95 % interval (that of the expected energy: noise of a
single run is not in it), and their difference in percent. The measured energy may be
missing: a model predicts what was only counted. A model of several boards predicts for the
board in the case's `device` column, and for its own where it does not know that one; the
last column of the table says which.

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
    /// Folder for the result.
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// Replace an existing result.
    #[arg(long)]
    force: bool,
}

const FILE: &str = "predictions.csv";

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output =
        Output::open(&arguments.out, OnExisting::from(arguments.force), &progress::TERMINAL)?;
    output.check_free(&[FILE])?;
    let rows = predictions(arguments)?;
    output.write(FILE, csv(&rows))?;
    progress::result(screen(&rows));
    progress::say(format!("written: {}", output.path(FILE).display()));
    Ok(())
}

/// Predictions by the kind of model: campaign, effects or costs.
fn predictions(arguments: &Arguments) -> Result<Vec<CasePrediction>, Failure> {
    if arguments.model.is_dir() {
        refuse_over(arguments)?;
        return counted::predictions(arguments);
    }
    let text = read_text(&arguments.model)?;
    match KnownEffects::is_table(&text) {
        true => effects::predictions(arguments, &text),
        false => predictions_by_costs(arguments),
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

/// Predictions of a data set's cases by a model of costs.
fn predictions_by_costs(arguments: &Arguments) -> Result<Vec<CasePrediction>, Failure> {
    refuse_over(arguments)?;
    let model: Model = read_artifact(&arguments.model)?;
    let dataset = DatasetFile::read(&arguments.dataset)?;
    progress::print_remarks(&arguments.dataset, &dataset.remarks);
    let table = dataset.with_weighed_counts(&model.contexts)?.table;
    let models = models_by_board(&model, &table);
    let of = |case: usize| &models[&table.cases[case].device];
    Ok((0..table.cases.len()).map(|case| prediction(of(case), &table, case)).collect())
}

/// Measured and predicted energy of a case, in joules.
struct CasePrediction {
    case: String,
    /// Board that the prediction holds for: the case's own, where the model knows it, else the
    /// model's; `None` where the model is of one board.
    device: Option<String>,
    measured: Option<f64>,
    measured_se: Option<f64>,
    predicted: f64,
    interval: Option<Interval>,
    /// Share of executions without a cost in the model.
    unknown: f64,
}

/// Model of each case's board by name, where the model knows several boards.
fn models_by_board<'m>(model: &'m Model, table: &Table) -> BTreeMap<String, Cow<'m, Model>> {
    let cases = table.cases.iter().map(|case| case.device.clone()).collect::<BTreeSet<_>>();
    let own = |device: &String| match model.on_device(device) {
        Some(own) => Cow::Owned(own),
        None => Cow::Borrowed(model),
    };
    cases.into_iter().map(|device| (device.clone(), own(&device))).collect()
}

/// Prediction of one case of a data set.
fn prediction(model: &Model, table: &Table, case: usize) -> CasePrediction {
    let index = model.index();
    let (mut counts, mut unknown, mut all) = (Vec::new(), 0.0, 0.0);
    for (feature, count) in table.features.iter().zip(table.row(case)) {
        all += count;
        match index.of(feature) {
            Some(column) => counts.push((column, *count)),
            None => unknown += count,
        }
    }
    let prediction = model.predict_case(&counts, table.cases[case].duration_s);
    let around = |se: f64| Interval::around(Joules(prediction.energy_j), se * se);
    let measured = &table.cases[case];
    CasePrediction {
        case: measured.name.clone(),
        device: model.reference_device().map(str::to_owned),
        measured: Some(measured.energy_j).filter(|energy| energy.is_finite()),
        measured_se: measured.energy_se_j,
        predicted: prediction.energy_j,
        interval: prediction.se_j.map(around),
        unknown: if all > 0.0 { unknown / all } else { 0.0 },
    }
}

impl CasePrediction {
    /// Error of the prediction in percent of the measured energy.
    fn error_percent(&self) -> Option<f64> {
        let measured = self.measured?;
        let off = 100.0 * (self.predicted - measured) / measured;
        off.is_finite().then_some(off)
    }
}

/// Predictions as the text of `predictions.csv`.
fn csv(rows: &[CasePrediction]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS).expect(MEMORY);
    for row in rows {
        let (lo, hi) = (row.interval.map(|i| i.lo.0), row.interval.map(|i| i.hi.0));
        let measured = (&row.case, row.measured, row.measured_se);
        let predicted = (row.predicted, lo, hi, row.error_percent(), row.unknown);
        writer.serialize((measured, predicted, &row.device)).expect(MEMORY);
    }
    csv_text::guard_formulas(String::from_utf8(writer.into_inner().expect(MEMORY)).expect(MEMORY))
}

const COLUMNS: [&str; 9] = [
    "case",
    "measured_j",
    "measured_se_j",
    "predicted_j",
    "predicted_lo_j",
    "predicted_hi_j",
    "off_percent",
    "unknown_share",
    "device",
];

/// Reason why writing to memory cannot fail.
const MEMORY: &str = "text written to memory is text";

/// Predictions as a table for the terminal.
fn screen(rows: &[CasePrediction]) -> String {
    let mut text =
        format!("{:<28} {:>22} {:>32} {:>8}\n", "case", "measured", "predicted (95 %)", "off");
    for row in rows {
        let se = row.measured_se.map_or(String::new(), |se| format!(" +- {se:.2e}"));
        let interval = match row.interval {
            Some(interval) => {
                format!(" ({} to {})", joules_text(interval.lo.0), joules_text(interval.hi.0))
            }
            None => " (no interval)".to_owned(),
        };
        let off = row.error_percent().map_or("none".to_owned(), |off| format!("{off:+.1} %"));
        text += &format!(
            "{:<28} {:>22} {:>32} {off:>8}\n",
            match &row.device {
                Some(device) => visible_name(&format!("{} on {device}", row.case)),
                None => visible_name(&row.case),
            },
            row.measured
                .map_or("none".to_owned(), |energy| format!("{}{se} J", joules_text(energy))),
            format!("{}{interval} J", joules_text(row.predicted)),
        );
    }
    text.trim_end().to_owned()
}

/// Joules with significant digits, also of single operations.
fn joules_text(joules: f64) -> String {
    match joules.abs() {
        size if size == 0.0 || (1e-2..1e9).contains(&size) => format!("{joules:.4}"),
        _ => format!("{joules:.6e}"),
    }
}

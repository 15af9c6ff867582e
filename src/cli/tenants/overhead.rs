//! `wattline tenants overhead`: the most that a change can cost in power, at 5 %, by figures that
//! are given, or by an experiment that is made.

mod experiment;
mod load;
mod power;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::attribution::tenants::{RunSet, overhead_csv, overhead_epsilon, parse_runs};
use crate::cli::answer::FormatArgument;
use crate::cli::progress;
use crate::cli::user_table::read_user_table;
use crate::failure::Failure;
use crate::folder::{OnExisting, Output};
use crate::report::table_rows;

use experiment::ExperimentArguments;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline tenants overhead monitored.csv baseline.csv
  wattline tenants overhead --monitor 1 --scenario idle --repeats 40 --out target/overhead

Files have a row per run (power_w) or per set of runs (mean_w, sd_w, n); other columns name the
set. Without files the command makes the runs itself, in random order. Epsilon is the smallest
number for which `the overhead is at least epsilon` is rejected at 5 %.")]
pub struct Arguments {
    /// Runs with what is tested.
    #[arg(required_unless_present_any = TESTED_KINDS, requires = "base")]
    with: Option<PathBuf>,
    /// Runs without it.
    base: Option<PathBuf>,
    #[command(flatten)]
    experiment: ExperimentArguments,
    /// Folder for overhead.csv; of runs that are made also for runs.csv, with.csv and base.csv.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace an existing result.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatArgument,
}

/// Kinds of things that can be tested where runs are made.
const TESTED_KINDS: [&str; 3] = ["configuration", "monitor", "tenants"];

/// Number of runs below which intervals by the normal distribution are too narrow.
const FEW_RUNS: u64 = 30;

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = match &arguments.out {
        Some(folder) => {
            Some(Output::open(folder, OnExisting::from(arguments.force), &progress::TERMINAL)?)
        }
        None => None,
    };
    let (figures, basis) = match (&arguments.with, &arguments.base) {
        (Some(with), Some(base)) => (
            OverheadFigures {
                with: read_run_sets(with)?,
                base: read_run_sets(base)?,
                source: base.clone(),
            },
            "",
        ),
        _ => arguments.experiment.measure(output.as_ref())?,
    };
    let OverheadFigures { with, base, source } = figures;
    let csv = overhead_csv(&with, &base).map_err(|error| Failure::input(source, error))?;
    let lines = with.iter().filter_map(|(group, with)| {
        let base = base.get(group)?;
        Some(result_line(group, *with, *base) + basis)
    });
    let figures = json!({"groups": table_rows(&csv), "remark": basis.trim()});
    arguments.format.print("tenants overhead", &figures, || lines.collect::<Vec<_>>().join("\n"));
    if with.values().chain(base.values()).any(|runs| runs.count < FEW_RUNS) {
        progress::say(
            "note: fewer than 30 runs in a set: epsilon by Student's t is the one to trust",
        );
    }
    if let Some(output) = output {
        let path = output.write("overhead.csv", csv)?;
        progress::say(format!("written: {}", path.display()));
    }
    Ok(())
}

/// Figures of the test: sets of runs by name, with and without what is tested.
pub(super) struct OverheadFigures {
    with: BTreeMap<String, RunSet>,
    base: BTreeMap<String, RunSet>,
    /// What errors name.
    source: PathBuf,
}

fn result_line(group: &str, with: RunSet, base: RunSet) -> String {
    let found = overhead_epsilon(with, base);
    let mean = |runs: RunSet| {
        let RunSet { mean_w, sd_w, count } = runs;
        format!("{mean_w:.4} +- {:.4} W ({count} runs, sd {sd_w:.4} W)", runs.half_width_w())
    };
    let name = if group.is_empty() { String::new() } else { format!("{group}: ") };
    let part = |epsilon_w: f64| match epsilon_w / with.mean_w * 100.0 {
        part if part.is_finite() => format!(" ({part:.2} %)"),
        _ => String::new(),
    };
    format!(
        "{name}{} against {}; the overhead is below {:.4} W{} at 5 %, by Student's t below {:.4} \
         W{}",
        mean(with),
        mean(base),
        found.epsilon_w,
        part(found.epsilon_w),
        found.epsilon_t_w,
        part(found.epsilon_t_w)
    )
}

fn read_run_sets(path: &Path) -> Result<BTreeMap<String, RunSet>, Failure> {
    let runs = parse_runs(&read_user_table(path)?).map_err(|error| Failure::input(path, error))?;
    if runs.is_empty() {
        return Err(Failure::input(path, "it has no runs"));
    }
    Ok(runs)
}

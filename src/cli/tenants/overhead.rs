//! `wattline tenants overhead`: the most that a change can cost in power, at 5 %.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::attribution::tenants::{Runs, epsilon, overhead_csv, parse_runs};
use crate::cli::progress;
use crate::cli::user_table::read_user_table;
use crate::failure::Failure;
use crate::folder::{OnExisting, Output};

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline tenants overhead monitored.csv baseline.csv

Both files have a row per run with its mean power in power_w, or a row per set of runs with
mean_w, sd_w and n; all other columns together (test case, scenario) name the set. For each,
epsilon is the smallest number for which `the overhead is at least epsilon` is rejected at
5 %.")]
pub struct Arguments {
    /// Runs with what is tested.
    with: PathBuf,
    /// Runs without it.
    base: PathBuf,
    /// Folder for overhead.csv.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace an existing result.
    #[arg(long)]
    force: bool,
}

/// Below so many runs the normal distribution is too narrow.
const FEW: u64 = 30;

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (with, base) = (read(&arguments.with)?, read(&arguments.base)?);
    let csv = overhead_csv(&with, &base).map_err(|error| Failure::input(&arguments.base, error))?;
    for (group, with) in &with {
        let Some(base) = base.get(group) else { continue };
        progress::result(line(group, *with, *base));
    }
    if with.values().chain(base.values()).any(|runs| runs.count < FEW) {
        progress::say(
            "note: fewer than 30 runs in a set: epsilon by Student's t is the one to trust",
        );
    }
    if let Some(folder) = &arguments.out {
        let output = Output::open(folder, OnExisting::from(arguments.force), &progress::TERMINAL)?;
        let path = output.write("overhead.csv", csv)?;
        progress::say(format!("written: {}", path.display()));
    }
    Ok(())
}

fn line(group: &str, with: Runs, base: Runs) -> String {
    let found = epsilon(with, base);
    let mean = |runs: Runs| {
        format!("{:.4} +- {:.4} W ({} runs)", runs.mean_w, runs.half_width_w(), runs.count)
    };
    let name = if group.is_empty() { String::new() } else { format!("{group}: ") };
    let part = found.epsilon_w / with.mean_w * 100.0;
    let part = if part.is_finite() { format!(" ({part:.2} %)") } else { String::new() };
    format!(
        "{name}{} against {}; the overhead is below {:.4} W{part} at 5 %, by Student's t \
         below {:.4} W",
        mean(with),
        mean(base),
        found.epsilon_w,
        found.epsilon_t_w
    )
}

fn read(path: &Path) -> Result<BTreeMap<String, Runs>, Failure> {
    let runs = parse_runs(&read_user_table(path)?).map_err(|error| Failure::input(path, error))?;
    if runs.is_empty() {
        return Err(Failure::input(path, "it has no runs"));
    }
    Ok(runs)
}

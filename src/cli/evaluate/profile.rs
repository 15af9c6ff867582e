//! Comparison of accounts with samples of an independent profiler.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::account::profile::{
    self, Hits, ProfileEvaluation, ReferenceProfile, RunSpreadErrors, SpreadSource,
};
use crate::facts::ScenarioFacts;
use crate::failure::Failure;
use crate::folder::{CampaignFolder, Output};
use crate::format::counted;
use crate::input_file;
use crate::model::Model;
use crate::operations::Dictionary;
use crate::report::table_rows;
use crate::stacks::{self, StackProfile, WeightFacts, WeightUnit, unit_of_header};
use crate::toolchain::{Jdk, flight_recorder};

use super::super::answer::FormatArgument;
use super::super::progress;

/// Profiles of runs, with what their weights are. Each is a file, or, with commas between them, one
/// for each process that was a part of the run.
pub struct ProfileRuns<'a> {
    pub files: &'a [PathBuf],
    pub weights: WeightFacts,
}

/// Compares accounts with profiles; writes `profile.csv` and `profile-entries.csv`.
pub fn evaluate(
    folder: &CampaignFolder,
    model: &Model,
    runs: ProfileRuns<'_>,
    output: &Output,
    format: FormatArgument,
) -> Result<(), Failure> {
    let ProfileRuns { files: runs, weights } = runs;
    output.check_free(&["profile.csv", "profile-entries.csv"])?;
    let facts = ScenarioFacts::read(folder, None)?;
    facts.check(model)?;
    let weights = WeightFacts { most_samples: samples_max(&facts), ..weights };
    let hits = |file: &PathBuf| profile_hits(file, weights, &facts.dictionary);
    let read = |run: &PathBuf| run_files(run).iter().map(hits).collect::<Result<Vec<_>, _>>();
    let reference = ReferenceProfile::of(runs.iter().map(read).collect::<Result<_, Failure>>()?);
    let evaluation = profile::compare_with_profile(&facts.accounts(model), &reference);
    if evaluation.levels.is_empty() {
        return Err(Failure::input(
            &runs[0],
            format!(
                "none of its {} samples is in a class of the application; profile the same \
                 program as the campaign's",
                evaluation.outside.1
            ),
        ));
    }
    if let Some(device) = &facts.device {
        progress::say(format!("  the accounts are those of board {device}"));
    }
    print_summary(&evaluation);
    let csv = evaluation.csv();
    let (outside, samples) = evaluation.outside;
    let figures = json!({
        "against": "profile",
        "samples": samples,
        "samples_outside_application": outside,
        "levels": table_rows(&csv),
    });
    format.print_table("evaluate", &figures, &csv);
    output.write("profile.csv", csv)?;
    output.write("profile-entries.csv", evaluation.entries_csv())?;
    progress::say(format!("written: {}", output.path("profile.csv").display()));
    Ok(())
}

/// Prints the summary of an evaluation.
fn print_summary(evaluation: &ProfileEvaluation) {
    let (outside, all) = evaluation.outside;
    progress::say(format!(
        "  {}, {outside} of them with no frame of the application, which count for no method",
        counted(all, "sample")
    ));
    if evaluation.levels.len() < 2 {
        progress::say("  the profile has no lines: none are compared");
    }
    progress::say(match evaluation.levels.first().and_then(|level| level.another_run) {
        Some(RunSpreadErrors { spread, measured_by: SpreadSource::Profile, .. }) => format!(
            "  how far its runs differ was found from these: by {:.0} % in methods",
            100.0 * spread
        ),
        Some(RunSpreadErrors { spread, measured_by: SpreadSource::Campaign, .. }) => format!(
            "  it is of one run; that another would differ as the campaign's sampled runs do, by \
             {:.0} % in methods, is allowed for",
            100.0 * spread
        ),
        None => "  how far runs differ is not known, and coverage allows for counting alone: give \
                 profiles of several runs, or sample each case twice (`sampled_repeats`)"
            .to_owned(),
    });
}

/// Paths of the files of a run.
fn run_files(run: &Path) -> Vec<PathBuf> {
    match run.to_str() {
        Some(several) if !run.exists() => several.split(',').map(PathBuf::from).collect(),
        _ => vec![run.to_owned()],
    }
}

/// Ratio of a profile's length to the longest session, at most,
const LENGTH_RATIO_MAX: f64 = 100.0;
/// times the number of processors, at most,
const PROCESSORS_MAX: f64 = 8.0;
/// times the samples per second and processor, at most: bounds of the samples of a profile.
const RATE_MAX_HZ: f64 = 1000.0;

/// Largest number of samples that a profile of the campaign's program can have.
fn samples_max(facts: &ScenarioFacts) -> Option<u64> {
    let lengths = facts.records.iter().filter_map(|record| record.conditions.uptime_s);
    let longest_s = lengths.map(|[from, to]| to - from).fold(1.0_f64, f64::max);
    Some((longest_s * LENGTH_RATIO_MAX * PROCESSORS_MAX * RATE_MAX_HZ) as u64)
}

/// Samples of a file by line and method of the campaign.
fn profile_hits(
    file: &Path,
    weights: WeightFacts,
    dictionary: &Dictionary,
) -> Result<Hits, Failure> {
    Ok(Hits::of(&read_profile(file, weights)?, dictionary))
}

/// Reads a profile: pprof or collapsed stacks.
fn read_profile(file: &Path, weights: WeightFacts) -> Result<StackProfile, Failure> {
    let bytes = input_file::read(file).map_err(Failure::io("read", file))?;
    let wrong = |error: &dyn std::error::Error| Failure::input(file, error);
    if flight_recorder::is_recording(&bytes) {
        let text = flight_recorder::collapsed_samples(&Jdk::find()?, file, None)?;
        return stacks::parse(&text).map_err(|error| wrong(&error));
    }
    let text = String::from_utf8_lossy(&bytes);
    let stated = unit_of_header(&text).map_err(|error| wrong(&error))?;
    let weights = WeightFacts { unit: weights.unit.or(stated), ..weights };
    let profile = stacks::parse(&text).map_err(|error| wrong(&error))?;
    let (profile, remark) = profile.to_samples(weights).map_err(|error| wrong(&error))?;
    if let Some(remark) = remark {
        progress::warn_in_line(format!("{}: {remark}", file.display()));
    }
    match profile.samples() {
        0 => Err(wrong(&stacks::ProfileError::Empty)),
        _ => Ok(profile),
    }
}

/// Unit and period of weights that the flags give.
pub fn weight_facts(unit: Option<&str>, period: Option<u64>) -> WeightFacts {
    let unit = unit.and_then(WeightUnit::of);
    WeightFacts { unit, period_ns: period, ..WeightFacts::default() }
}

/// Parses a time between two samples (`10ms`, `500us`) to nanoseconds.
pub fn parse_period_ns(text: &str) -> Result<u64, String> {
    let units = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];
    let found = units.iter().find_map(|(unit, ns)| {
        let number = text.strip_suffix(unit)?.trim().parse::<f64>().ok()?;
        Some(number * ns)
    });
    let is_period = |ns: &f64| (100.0..=1e12).contains(ns);
    let ns = found.filter(is_period).ok_or("a time between two samples, like 10ms or 500us")?;
    Ok(ns.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_have_a_unit() {
        assert_eq!(parse_period_ns("10ms"), Ok(10_000_000));
        assert_eq!(parse_period_ns("500us"), Ok(500_000));
        assert_eq!(parse_period_ns("1.5s"), Ok(1_500_000_000));
        assert!(parse_period_ns("10").is_err() && parse_period_ns("0ms").is_err());
    }
}

//! Accounts against samples of an independent profiler.

use std::path::{Path, PathBuf};

use crate::account::profile::{
    self, AnotherRun, Hits, ProfileEvaluation, ReferenceProfile, SpreadOf, StackProfile,
};
use crate::input_file;
use crate::model::Model;
use crate::operations::Dictionary;
use crate::stage::{CampaignFolder, Failure, Output};
use crate::toolchain::{Jdk, flight};

use super::super::progress;

/// Writes `profile.csv` and `profile-entries.csv`. Each of `runs` is a file, or, comma between
/// them, one for each process that was a part of the run.
pub fn evaluate(
    folder: &CampaignFolder,
    model: &Model,
    runs: &[PathBuf],
    output: &Output,
) -> Result<(), Failure> {
    output.check_free(&["profile.csv", "profile-entries.csv"])?;
    let facts = folder.facts(None)?;
    facts.check(model)?;
    let read = |run: &PathBuf| {
        files(run).iter().map(|file| hits(file, &facts.dictionary)).collect::<Result<Vec<_>, _>>()
    };
    let reference = ReferenceProfile::of(runs.iter().map(read).collect::<Result<_, Failure>>()?);
    let evaluation = profile::against(&facts.accounts(model), &reference);
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
    say(&evaluation);
    let csv = evaluation.csv();
    progress::document(csv.trim_end());
    output.write("profile.csv", csv)?;
    output.write("profile-entries.csv", evaluation.entries_csv())?;
    progress::say(format!("written: {}", output.path("profile.csv").display()));
    Ok(())
}

fn say(evaluation: &ProfileEvaluation) {
    let (outside, all) = evaluation.outside;
    progress::say(format!(
        "  {all} samples, {outside} of them with no frame of the application, which count for \
         no method"
    ));
    if evaluation.levels.len() < 2 {
        progress::say("  the profile has no lines: none are compared");
    }
    progress::say(match evaluation.levels.first().and_then(|level| level.another_run) {
        Some(AnotherRun { spread, measured_by: SpreadOf::Profile, .. }) => format!(
            "  how far its runs differ was found from these: by {:.0} % in methods",
            100.0 * spread
        ),
        Some(AnotherRun { spread, measured_by: SpreadOf::Campaign, .. }) => format!(
            "  it is of one run; that another would differ as the campaign's sampled runs do, by \
             {:.0} % in methods, is allowed for",
            100.0 * spread
        ),
        None => "  how far runs differ is not known, and coverage allows for counting alone: give \
                 profiles of several runs, or sample each case twice (`sampled_repeats`)"
            .to_owned(),
    });
}

/// The files of a run.
fn files(run: &Path) -> Vec<PathBuf> {
    match run.to_str() {
        Some(several) if !run.exists() => several.split(',').map(PathBuf::from).collect(),
        _ => vec![run.to_owned()],
    }
}

/// What the samples of a file fell into.
fn hits(file: &Path, dictionary: &Dictionary) -> Result<Hits, Failure> {
    Ok(read(file)?.hits(dictionary))
}

/// Reads a profile of either kind.
fn read(file: &Path) -> Result<StackProfile, Failure> {
    let bytes = input_file::read(file).map_err(Failure::io("read", file))?;
    let text = match flight::is_recording(&bytes) {
        true => flight::samples(&Jdk::find()?.java, file, None)?,
        false => String::from_utf8_lossy(&bytes).into_owned(),
    };
    profile::parse(&text).map_err(|error| Failure::input(file, error))
}

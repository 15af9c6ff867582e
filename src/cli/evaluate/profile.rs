//! Accounts against samples of an independent profiler.

use std::fs;
use std::path::{Path, PathBuf};

use crate::account::profile::{self, Profile, ProfileEvaluation};
use crate::model::Model;
use crate::stage::{CampaignFolder, Failure, Output};
use crate::toolchain::{Jdk, flight};

use super::super::progress;

/// Writes `profile.csv` and `profile-entries.csv`.
pub fn evaluate(
    folder: &CampaignFolder,
    model: &Model,
    files: &[PathBuf],
    output: &Output,
) -> Result<(), Failure> {
    output.check_free(&["profile.csv", "profile-entries.csv"])?;
    let facts = folder.facts(None)?;
    facts.check(model)?;
    let mut all = Profile::default();
    for file in files {
        all.merge(read(file)?);
    }
    let hits = all.hits(&facts.dictionary);
    let evaluation = profile::against(&facts.accounts(model), &hits);
    if evaluation.levels.is_empty() {
        return Err(Failure::input(
            &files[0],
            format!(
                "none of its {} samples is in a class of the application; profile the same \
                 program as the campaign's",
                all.samples()
            ),
        ));
    }
    if let Some(device) = &facts.device {
        progress::say(format!("  the accounts are those of board {device}"));
    }
    say(&evaluation);
    let csv = evaluation.csv();
    progress::result(csv.trim_end());
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
}

/// Reads a profile of either kind.
fn read(file: &Path) -> Result<Profile, Failure> {
    let bytes = fs::read(file).map_err(Failure::io("read", file))?;
    let text = match flight::is_recording(&bytes) {
        true => flight::samples(&Jdk::find()?.java, file, None)?,
        false => String::from_utf8_lossy(&bytes).into_owned(),
    };
    profile::parse(&text).map_err(|error| Failure::input(file, error))
}

//! Recordings of `monitor`: one or several on each side.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::account::{Femtojoules, MethodKey};
use crate::cli::monitor::recording::{is_recording, read};
use crate::compare::{AllowedIncrease, Comparison, GateVerdict, RecordedRun, RecordedSides};
use crate::failure::Failure;
use crate::folder::names;
use crate::recording::{MONITOR_FILE, Recording, RecordingSums, sum_recording};

use super::{Arguments, ModelChoice, budget_rows};

/// Whether the folders are recordings; an error where only some are.
pub(super) fn are_recordings_given(arguments: &Arguments) -> Result<bool, Failure> {
    let folders = RecordingFolders::of(arguments);
    let all = || folders.base.iter().chain(&folders.new);
    let Some(recording) = all().find(|folder| is_recording(folder)) else {
        return refuse_repeats_of_campaigns(arguments).map(|()| false);
    };
    if let Some(other) = all().find(|folder| !is_recording(folder)) {
        return Err(Failure::Usage(format!(
            "{} is a recording of `monitor`, {} is {}; compare recordings with recordings, or \
             campaigns with campaigns",
            recording.display(),
            other.display(),
            folder_kind(other)
        )));
    }
    let of_campaigns = [
        (!arguments.source.is_empty(), "--source", "a patch is predicted from a campaign's counts"),
        (arguments.model == ModelChoice::Own, "--model own", "no model prices their methods"),
    ];
    match of_campaigns.into_iter().find(|(is_given, ..)| *is_given) {
        Some((_, flag, why)) => Err(Failure::Usage(format!(
            "{flag}: {} is a recording of `monitor`; {why}",
            recording.display()
        ))),
        None => Ok(true),
    }
}

/// Returns what a folder is that is no recording.
fn folder_kind(folder: &Path) -> String {
    match folder.join(names::PLAN).is_file() {
        true => "a campaign".to_owned(),
        false => format!("neither one (it has no {MONITOR_FILE}) nor a campaign"),
    }
}

fn refuse_repeats_of_campaigns(arguments: &Arguments) -> Result<(), Failure> {
    let flags =
        [("--base-repeats", &arguments.base_repeats), ("--new-repeats", &arguments.new_repeats)];
    match flags.into_iter().find(|(_, folders)| !folders.is_empty()) {
        None => Ok(()),
        Some((flag, _)) => Err(Failure::Usage(format!(
            "{flag}: {} is no recording of `monitor` (it has no {MONITOR_FILE}); a campaign has \
             its repeats in itself",
            arguments.base.display()
        ))),
    }
}

/// Folders of the recordings of both sides.
struct RecordingFolders {
    base: Vec<PathBuf>,
    new: Vec<PathBuf>,
}

impl RecordingFolders {
    fn of(arguments: &Arguments) -> Self {
        let base = std::iter::once(&arguments.base).chain(&arguments.base_repeats);
        let new = arguments.new.iter().chain(&arguments.new_repeats);
        Self { base: base.cloned().collect(), new: new.cloned().collect() }
    }

    /// Refuses a recording that is given twice, which would be a repeat of itself.
    fn check_each_once(&self) -> Result<(), Failure> {
        for side in [&self.base, &self.new] {
            let mut seen = BTreeSet::new();
            for folder in side {
                let place = folder.canonicalize().unwrap_or_else(|_| folder.clone());
                if !seen.insert(place) {
                    return Err(Failure::Usage(format!(
                        "{} is given twice on one side: a recording is no repeat of itself",
                        folder.display()
                    )));
                }
            }
        }
        Ok(())
    }
}

/// Recordings of one side of the comparison.
struct RecordingSide {
    folders: Vec<PathBuf>,
    recordings: Vec<Recording>,
    sums: Vec<RecordingSums>,
}

impl RecordingSide {
    fn read(folders: Vec<PathBuf>) -> Result<Self, Failure> {
        let recordings = folders.iter().map(|folder| read(folder, None));
        let recordings = recordings.collect::<Result<Vec<_>, _>>()?;
        let sums = recordings.iter().map(sum_recording).collect();
        Ok(Self { folders, recordings, sums })
    }

    fn runs(&self) -> Vec<RecordedRun> {
        self.sums.iter().map(recorded_run).collect()
    }
}

/// Compares two sides of recordings.
pub(super) fn compare_recordings(arguments: &Arguments) -> Result<Comparison, Failure> {
    let folders = RecordingFolders::of(arguments);
    folders.check_each_once()?;
    let is_one_folder = folders.base.iter().any(|folder| folders.new.contains(folder));
    let (base, new) = (RecordingSide::read(folders.base)?, RecordingSide::read(folders.new)?);
    let has_jvm = have_methods(&base, &new)?;
    let (base_runs, new_runs) = (base.runs(), new.runs());
    let sides = RecordedSides {
        whole: if has_jvm { "the JVM" } else { "all processes" },
        has_classes: has_jvm,
        base: &base_runs,
        new: &new_runs,
        between: arguments.between_campaigns / 100.0,
    };
    let mut comparison = sides.compare(AllowedIncrease(arguments.max_increase / 100.0));
    if let Some(difference) = machine_difference(&base, &new).filter(|_| !arguments.across_boards) {
        comparison.headline.verdict = Some(GateVerdict::NoData);
        comparison.headline.remark = format!(
            "different machines, meters or shares: {difference}; record both alike, or \
             --across-boards"
        );
    }
    let mut notes = recording_notes(&base, &new);
    if is_one_folder {
        notes.push("base and new have a folder in common: a recording held against itself".into());
    }
    notes.append(&mut comparison.notes);
    comparison.notes = notes;
    comparison.budgets = budget_rows(arguments, &sides.spending())?;
    Ok(comparison)
}

/// Whether the recordings have methods of a JVM (true) or processes alone (false); an error where
/// they differ.
fn have_methods(base: &RecordingSide, new: &RecordingSide) -> Result<bool, Failure> {
    let mut sides = [base, new].into_iter();
    let all = sides.by_ref().flat_map(|side| side.folders.iter().zip(&side.sums));
    let (with, without): (Vec<_>, Vec<_>) = all.partition(|(_, sums)| sums.jvm.is_some());
    match (with.first(), without.first()) {
        (Some((with, _)), Some((without, _))) => Err(Failure::Usage(format!(
            "{} has the methods of a JVM, {} processes alone; compare recordings of one kind",
            with.display(),
            without.display()
        ))),
        (with, _) => Ok(with.is_some()),
    }
}

/// Returns how the first recording from another machine than the base's first one differs.
fn machine_difference(base: &RecordingSide, new: &RecordingSide) -> Option<String> {
    let of = |recording: &Recording| {
        let about = &recording.about;
        format!("{}, {}, share of {}", about.host, about.meter(), about.share)
    };
    let first = of(base.recordings.first()?);
    let mut all = base.recordings.iter().chain(&new.recordings).map(of);
    all.find(|other| *other != first).map(|other| format!("{first} against {other}"))
}

fn recording_notes(base: &RecordingSide, new: &RecordingSide) -> Vec<String> {
    let all = || base.recordings.iter().chain(&new.recordings);
    let mut notes = Vec::new();
    if all().any(|recording| recording.about.is_model()) {
        notes.push("a model's figures, no measurement: shares hold where its watts do not".into());
    }
    let ways: BTreeSet<&str> =
        all().filter_map(|r| r.about.jvm.as_ref()).map(|jvm| jvm.way.as_str()).collect();
    if ways.len() > 1 {
        notes.push("some methods are measured by sampling, some by instrumentation: their names may differ".into());
    }
    let fewest = base.recordings.len().min(new.recordings.len());
    if fewest == 1 {
        notes.push("no intervals where a side has one recording alone".into());
    } else if fewest < 5 {
        notes.push(format!("only {fewest} recordings of a side: few for an interval"));
    }
    notes
}

/// Returns a recording as a run: the methods of its JVM, or its processes by name, as their numbers
/// differ each time.
fn recorded_run(sums: &RecordingSums) -> RecordedRun {
    let joules = |energy: Femtojoules| energy.joules().0;
    let mut run = RecordedRun {
        duration_s: sums.duration_s,
        machine_j: joules(sums.total),
        ..RecordedRun::default()
    };
    match sums.jvm {
        Some(jvm) => {
            run.whole_j = joules(jvm);
            for (key, sum) in &sums.methods {
                let (class, method) = (key.class.clone(), key.method.clone());
                *run.methods.entry(MethodKey { class, method }).or_default() +=
                    joules(sum.energy());
            }
            run.rests = sums.rests().map(|(name, energy)| (name, joules(energy))).into();
        }
        None => {
            run.whole_j = joules(sums.total - sums.unattributed);
            for sum in sums.processes.values() {
                let class = "(processes)".to_owned();
                let key = MethodKey { class, method: sum.name.clone() };
                *run.methods.entry(key).or_default() += joules(sum.energy());
            }
            run.rests = vec![("unattributed", joules(sums.unattributed))];
        }
    }
    run
}

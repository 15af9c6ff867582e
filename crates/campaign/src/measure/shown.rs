//! How far a campaign is, and what went wrong, while it is measured.

use std::path::Path;

use crate::campaign::{PlannedRun, RunPhase};
use crate::power::crash_in;
use crate::progress::{Progress, WorkProgress};
use crate::run::{ExitState, RunProgress, RunRecord, read_logs};

/// The bar of a campaign's runs.
pub fn run_bar(order: &[PlannedRun], progress: &dyn Progress) -> Box<dyn WorkProgress> {
    progress.bar(order.len() as u64, "measuring")
}

/// Shows how far a campaign is, and what went wrong.
pub fn show(bar: &dyn WorkProgress, folder: &Path, run: &RunProgress<'_>, progress: &dyn Progress) {
    let done = run.done as u64;
    let Some(record) = run.record else { return bar.found_up_to(done) };
    bar.made_up_to(done);
    let warning = match record.is_good() {
        false => Some(format!("run {} is bad: {}", record.folder, record.reasons())),
        true => too_short(record),
    };
    if let Some(warning) = warning {
        let crash = crash(folder, record).map_or(String::new(), |crash| format!("\n{crash}"));
        bar.suspend(&mut || progress.warn(&format!("{warning}{crash}")));
    }
}

/// The stack trace of a first attempt's crash.
fn crash(folder: &Path, record: &RunRecord) -> Option<String> {
    let died = record.conditions.exit == ExitState::Died && record.attempt == 0;
    died.then(|| crash_in(&read_logs(folder, record).ok()?.logcat)).flatten()
}

/// Said once of a case, while there is time to stop and raise it.
fn too_short(record: &RunRecord) -> Option<String> {
    let first = record.run.phase == RunPhase::Power && record.run.repeat == 1;
    let reason = record.measured.as_ref().filter(|_| first)?.too_short()?;
    Some(format!("case {} will be left out: {reason}", record.run.case))
}

//! Display of a campaign's progress and problems while it is measured.

use std::path::Path;

use crate::campaign::{PlannedRun, RunPhase};
use crate::power::crash_trace;
use crate::progress::{Progress, WorkProgress};
use crate::run::{ExitState, RunProgress, RunRecord, read_logs};

/// The progress bar of a campaign's runs.
pub fn run_bar(order: &[PlannedRun], progress: &dyn Progress) -> Box<dyn WorkProgress> {
    progress.bar(order.len() as u64, "measuring")
}

/// Updates the bar after a run, and prints a warning about a bad run or a short window, with the
/// stack trace of a crash.
pub fn show(bar: &dyn WorkProgress, folder: &Path, run: &RunProgress<'_>, progress: &dyn Progress) {
    let done = run.done as u64;
    let Some(record) = run.record else { return bar.set_done_before(done) };
    bar.set_done_now(done);
    let warning = match record.is_good() {
        false => Some(format!("run {} is bad: {}", record.folder, record.reasons())),
        true => too_short(record),
    };
    if let Some(warning) = warning {
        let crash = crash(folder, record).map_or(String::new(), |crash| format!("\n{crash}"));
        bar.suspend(&mut || progress.warn(&format!("{warning}{crash}")));
    }
}

/// Stack trace of the crash of a run's first attempt.
fn crash(folder: &Path, record: &RunRecord) -> Option<String> {
    let died = record.conditions.exit == ExitState::Died && record.attempt == 0;
    died.then(|| crash_trace(&read_logs(folder, record).ok()?.logcat)).flatten()
}

/// Warning about a window that is too short, once per case, while there is time to stop and raise
/// it.
fn too_short(record: &RunRecord) -> Option<String> {
    let first = record.run.phase == RunPhase::Power && record.run.repeat == 1;
    let reason = record.measured.as_ref().filter(|_| first)?.too_short_reason()?;
    Some(format!("case {} will be left out: {reason}", record.run.case))
}

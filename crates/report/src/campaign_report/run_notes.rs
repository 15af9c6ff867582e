//! Notes on the runs of a campaign: the load of the machine, and runs that were not used.

use crate::campaign::RunPhase;
use crate::dataset::DatasetOmission;
use crate::format::{counted, truncate, visible};
use crate::power::MachineLoad;
use crate::quantile::median;
use crate::run::RunRecord;

/// Characters of a reason in a note.
const SHOWN: usize = 120;

/// Sentence on how busy other work kept the machine; `None` if it did not, or where it is not read.
pub(super) fn load_note(records: &[RunRecord]) -> Option<String> {
    let used = records.iter().filter(|record| {
        record.is_good() && matches!(record.run.phase, RunPhase::Power | RunPhase::Sampled)
    });
    let loads: Vec<MachineLoad> = used.filter_map(|record| record.conditions.load).collect();
    let busy = loads.iter().filter(|load| load.is_busy()).count();
    let worst = MachineLoad::busiest(loads.iter().copied())?;
    let typical = 100.0 * median(loads.iter().map(|load| load.taken()))?;
    (busy > 0).then(|| {
        format!(
            "the machine was busy in {busy} of {}: other work took {typical:.0} % of all cores' \
             time (median; at most: {worst}). Samples and the decisions of JIT compilers are those \
             of a busy machine, and intervals contain only what differs between the runs: repeat \
             the campaign when the machine is quiet",
            counted(loads.len(), "power and sampled run")
        )
    })
}

/// Sentence on the runs that were made and are not used, with the first reason; `None` if all are.
pub(super) fn unused_runs_note(
    records: &[RunRecord],
    left_out: &[DatasetOmission],
) -> Option<String> {
    let is_run = |out: &&DatasetOmission| records.iter().any(|record| record.folder == out.what);
    let mut unused = left_out.iter().filter(is_run);
    let DatasetOmission { what, reason } = unused.next()?;
    let rest = match unused.count() {
        0 => String::new(),
        more => format!("; {more} more in dataset.toml"),
    };
    let reason = truncate(&visible(reason), SHOWN);
    Some(format!("runs that are not used: {}: {reason}{rest}", visible(what)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::PlannedRun;
    use crate::run::{Conditions, RunVerdict};

    fn record(folder: &str, others: Option<f64>) -> RunRecord {
        let load = |others| MachineLoad { cores: 2, runnable: 3.0, others, stolen: 0.0 };
        RunRecord {
            folder: folder.into(),
            run: PlannedRun { case: "base-a".into(), phase: RunPhase::Power, repeat: 1 },
            attempt: 0,
            verdict: RunVerdict::Good,
            board: crate::run::BoardIdentity::default(),
            conditions: Conditions { load: others.map(load), ..Conditions::default() },
            measured: None,
            tool_version: String::new(),
            seed: 1,
        }
    }

    #[test]
    fn a_busy_machine_is_named_with_its_load() {
        let quiet = [record("a", Some(0.02)), record("b", None)];
        assert_eq!(load_note(&quiet), None);
        let busy = [record("a", Some(0.02)), record("b", Some(0.4)), record("c", Some(0.6))];
        let note = load_note(&busy).unwrap();
        assert!(
            note.starts_with("the machine was busy in 2 of 3 power and sampled runs"),
            "{note}"
        );
        assert!(note.contains("took 40 % of all") && note.contains("used 60 % of the"), "{note}");
    }

    #[test]
    fn unused_runs_have_their_reason() {
        let records = [record("a", None), record("b", None), record("c", None)];
        let out = |what: &str| DatasetOmission {
            what: what.into(),
            reason: "it lasted 3.00 s, the case's median is 2.00 s".into(),
        };
        assert_eq!(unused_runs_note(&records, &[out("base-a")]), None, "that is a case");
        let note = unused_runs_note(&records, &[out("b"), out("base-a"), out("c")]).unwrap();
        assert_eq!(
            note,
            "runs that are not used: b: it lasted 3.00 s, the case's median is 2.00 s; 1 more in \
             dataset.toml"
        );
    }
}

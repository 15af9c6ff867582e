//! The basis of a campaign: everything that its runs depend on, part by part, so that a changed
//! scenario names its changed keys and invalidates no run that does not depend on them. The journal
//! stores the basis; each run belongs to the basis that it was made on.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::campaign::{PlannedCase, RunPhase};
use crate::format::{counted, counted_as};
use crate::scenario::{ScenarioKeys, split_key};
use crate::toolchain::artifact::hash_of_bytes;

use super::record::RunRecord;

/// Everything that a campaign's runs depend on: keys of the scenario, hashes of files and blocks,
/// cases.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CampaignBasis {
    /// Keys of the scenario, without those for paths of files.
    pub scenario: ScenarioKeys,
    /// Hash of each file that the application is built of, by name.
    pub files: BTreeMap<String, String>,
    /// Hash of the names of all blocks, since plan and counts refer to blocks by number.
    pub blocks: String,
    /// The basis of each case of the plan, by the case's name.
    pub cases: BTreeMap<String, CaseBasis>,
}

/// The identity of a case: its input and a hash of its removed blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseBasis {
    /// Its input sequence.
    pub input: String,
    /// Hash of the numbers of its removed blocks.
    pub removed: String,
}

/// Tables of a scenario with paths of files, which the basis represents by the files' hashes.
const PLACES: [&str; 3] = ["source", "library", "offline"];

impl CampaignBasis {
    /// The basis of a scenario's campaign with these files and cases.
    pub fn new(
        scenario: &ScenarioKeys,
        files: BTreeMap<String, String>,
        blocks: &str,
        cases: &[PlannedCase],
    ) -> Self {
        let tells = |key: &&String| !PLACES.contains(&split_key(key).0);
        let scenario = scenario.iter().filter(|(key, _)| tells(key));
        let case = |case: &PlannedCase| {
            let removed: Vec<String> = case.removed.iter().map(|id| id.0.to_string()).collect();
            let removed = short_hash(removed.join(" ").as_bytes());
            (case.name.clone(), CaseBasis { input: case.input.clone(), removed })
        };
        Self {
            scenario: scenario.map(|(key, value)| (key.clone(), value.clone())).collect(),
            files,
            blocks: short_hash(blocks.as_bytes()),
            cases: cases.iter().map(case).collect(),
        }
    }

    /// Hash that identifies the variant of a case; none for the variant without removed blocks.
    pub(super) fn variant_of(&self, case: &str) -> Option<&str> {
        let removed = &self.cases.get(case)?.removed;
        (!removed.is_empty() && *removed != short_hash(b"")).then_some(removed)
    }

    fn inputs(&self) -> BTreeSet<&str> {
        self.cases.values().map(|case| case.input.as_str()).collect()
    }
}

/// The first half of a SHA-256, enough to distinguish the files of one folder.
pub(crate) fn short_hash(bytes: &[u8]) -> String {
    hash_of_bytes(bytes)[..32].to_string()
}

/// The runs that a change affects.
#[derive(Debug, Clone, PartialEq, Eq)]
enum AffectedRuns {
    /// No runs, only later stages.
    Later,
    /// Runs of microbenchmarks, which are stored separately.
    Microbenchmarks,
    /// Only the number of runs.
    Number,
    /// Bad runs, since the verdict may change.
    BadRuns,
    /// The plan: another plan has runs of other cases.
    Plan,
    /// Runs with the application and one of these inputs.
    Inputs(BTreeSet<String>),
    /// All runs.
    AllRuns,
}

/// One change between two bases of a campaign, with the runs that the change affects.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BasisChange {
    /// `[microbenchmarks] repeats was 3 and is 5`.
    what: String,
    affected: AffectedRuns,
}

/// All changes between two bases of a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BasisChanges {
    changes: Vec<BasisChange>,
    /// Cases that are identical in both, with their input.
    same_cases: BTreeMap<String, String>,
}

impl BasisChanges {
    pub(super) fn between(old: &CampaignBasis, new: &CampaignBasis) -> Self {
        let keys: BTreeSet<&String> = old.scenario.keys().chain(new.scenario.keys()).collect();
        let changed =
            keys.into_iter().filter(|key| old.scenario.get(*key) != new.scenario.get(*key));
        let mut changes: Vec<BasisChange> = changed.map(|key| changed_key(key, old, new)).collect();
        changes.extend(changed_files(old, new));
        if changes.iter().all(|change| change.affected != AffectedRuns::AllRuns)
            && old.blocks != new.blocks
        {
            let what = "the same sources are divided into other blocks: another version of \
                        wattline does so";
            changes.push(BasisChange { what: what.into(), affected: AffectedRuns::AllRuns });
        }
        let same = new.cases.iter().filter(|(name, case)| old.cases.get(*name) == Some(case));
        let same_cases: BTreeMap<String, String> =
            same.map(|(name, case)| (name.clone(), case.input.clone())).collect();
        if same_cases.len() < new.cases.len().max(old.cases.len()) {
            let other = new.cases.len() - same_cases.len();
            let cases = counted(new.cases.len(), "case");
            let what = format!("plan.csv is another: {other} of its {cases}");
            changes.push(BasisChange { what, affected: AffectedRuns::Number });
        }
        Self { changes, same_cases }
    }

    /// Whether a run made on the old basis is valid on the new one.
    pub(super) fn keeps(&self, record: &RunRecord) -> bool {
        let Some(input) = self.same_cases.get(&record.run.case) else { return false };
        self.changes.iter().all(|change| match &change.affected {
            AffectedRuns::Later
            | AffectedRuns::Microbenchmarks
            | AffectedRuns::Number
            | AffectedRuns::Plan => true,
            AffectedRuns::BadRuns => record.is_good(),
            // No application runs in an idle session.
            AffectedRuns::Inputs(inputs) => {
                record.run.phase == RunPhase::Idle || !inputs.contains(input)
            }
            AffectedRuns::AllRuns => false,
        })
    }

    fn has_other_plan(&self) -> bool {
        self.changes.iter().any(|change| change.affected == AffectedRuns::Plan)
    }

    /// Decides whether a campaign with these records of the old basis can be resumed; returns lines
    /// to print, or to refuse with.
    pub(super) fn outcome(&self, records: &[RunRecord]) -> BasisVerdict {
        let good = || records.iter().filter(|record| record.is_good());
        let kept = good().filter(|record| self.keeps(record)).count();
        let runs_application = |record: &&RunRecord| record.run.phase != RunPhase::Idle;
        let of_use = good().filter(runs_application).any(|record| self.keeps(record));
        let void = good().count() - kept;
        let lines = self.changes.iter().map(|change| self.line(change, good().count()));
        let lines: Vec<String> = lines.collect();
        if self.has_other_plan() || (void > 0 && !of_use) {
            return BasisVerdict::Refused(lines);
        }
        let again = match void {
            0 => String::new(),
            void => format!(", {} made again", counted_as(void, "is", "are")),
        };
        let kept = counted_as(kept, "run of the campaign is", "runs of the campaign are");
        let last = format!("{kept} kept{again}");
        BasisVerdict::GoesOn(lines.into_iter().chain([last]).collect())
    }

    fn line(&self, change: &BasisChange, runs: usize) -> String {
        let affected = match &change.affected {
            AffectedRuns::Later => "no run depends on it".to_string(),
            AffectedRuns::Microbenchmarks => "it concerns the microbenchmarks alone".to_string(),
            AffectedRuns::Number => "runs are added or spared".to_string(),
            AffectedRuns::BadRuns => "good runs stay, bad ones are made again".to_string(),
            AffectedRuns::Plan => "the plan would be another".to_string(),
            AffectedRuns::Inputs(inputs) => {
                let cases = self.same_cases.values().filter(|input| inputs.contains(*input));
                let names: Vec<&str> = inputs.iter().map(String::as_str).collect();
                let cases = counted(cases.count(), "case");
                format!("it concerns the {cases} of input {}", names.join(", "))
            }
            AffectedRuns::AllRuns if runs == 1 => "its one run depends on it".to_string(),
            AffectedRuns::AllRuns => format!("all {runs} runs depend on it"),
        };
        format!("{}: {affected}", change.what)
    }
}

/// Whether a campaign whose basis changed can be resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BasisVerdict {
    /// The campaign is resumed; lines state what changed and how many runs are kept.
    GoesOn(Vec<String>),
    /// No run would be kept; lines state what changed.
    Refused(Vec<String>),
}

fn changed_key(key: &str, old: &CampaignBasis, new: &CampaignBasis) -> BasisChange {
    let value = |basis: &CampaignBasis| basis.scenario.get(key).cloned();
    let (was, is) = (value(old), value(new));
    let name = match split_key(key) {
        (key, "") => key.to_string(),
        ("input", rest) => format!("[[input]] {rest}"),
        (table, rest) => format!("[{table}] {rest}"),
    };
    let said = |value: Option<String>| value.unwrap_or_else(|| "not set".into());
    let what = format!("{name} was {} and is {}", said(was), said(is));
    BasisChange { what, affected: affected_runs(key, old, new) }
}

fn affected_runs(key: &str, old: &CampaignBasis, new: &CampaignBasis) -> AffectedRuns {
    match split_key(key) {
        ("name" | "description" | "hints", _) => AffectedRuns::Later,
        ("microbenchmarks", _) => AffectedRuns::Microbenchmarks,
        ("limits", _) | ("session", "limit_s") => AffectedRuns::BadRuns,
        ("campaign", "window_s" | "idle") => AffectedRuns::Later,
        ("campaign", "protocol") => AffectedRuns::AllRuns,
        ("campaign", key) if is_number_of_runs(key) => AffectedRuns::Number,
        ("campaign", _) => AffectedRuns::Plan,
        ("session", key) if key.starts_with("dry_extras") => AffectedRuns::Plan,
        ("session", key) if key == "frames" || key.starts_with("extras.") => {
            AffectedRuns::Inputs(inputs_without(key, old, new))
        }
        ("input", rest) => match split_key(rest).0 {
            input if old.inputs().contains(input) && new.inputs().contains(input) => {
                AffectedRuns::Inputs(BTreeSet::from([input.to_string()]))
            }
            _ => AffectedRuns::Plan,
        },
        _ => AffectedRuns::AllRuns,
    }
}

fn is_number_of_runs(key: &str) -> bool {
    ["repeats", "idle_repeats", "traced_repeats", "sampled_repeats", "max_retries", "stop.lines"]
        .contains(&key)
}

/// The inputs without a key of their own that overrides the session's.
fn inputs_without(key: &str, old: &CampaignBasis, new: &CampaignBasis) -> BTreeSet<String> {
    let has_own = |input: &str| {
        let own = format!("input.{input}.{key}");
        old.scenario.contains_key(&own) && new.scenario.contains_key(&own)
    };
    new.inputs().into_iter().filter(|input| !has_own(input)).map(str::to_string).collect()
}

/// Most changed files that are named.
const NAMED_FILES: usize = 3;

fn changed_files(old: &CampaignBasis, new: &CampaignBasis) -> Option<BasisChange> {
    let names: BTreeSet<&String> = old.files.keys().chain(new.files.keys()).collect();
    let changed: Vec<String> = names
        .into_iter()
        .filter_map(|name| match (old.files.get(name), new.files.get(name)) {
            (Some(old), Some(new)) if old == new => None,
            (Some(_), Some(_)) => Some(format!("{name} changed")),
            (Some(_), None) => Some(format!("{name} is gone")),
            _ => Some(format!("{name} is new")),
        })
        .collect();
    if changed.is_empty() {
        return None;
    }
    let mut what = changed[..changed.len().min(NAMED_FILES)].join(", ");
    if let Some(more) = changed.len().checked_sub(NAMED_FILES).filter(|more| *more > 0) {
        what += &format!(" and {}", counted(more, "more file"));
    }
    Some(BasisChange { what, affected: AffectedRuns::AllRuns })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::PlannedRun;
    use crate::run::RunVerdict;
    use crate::run::campaign::tests::record;

    fn keys(pairs: &[(&str, &str)]) -> ScenarioKeys {
        pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
    }

    pub(crate) fn basis(scenario: &[(&str, &str)]) -> CampaignBasis {
        let case = |input: &str| CaseBasis { input: input.into(), removed: String::new() };
        CampaignBasis {
            scenario: keys(scenario),
            files: BTreeMap::from([("a/Main.java".into(), "1".into())]),
            blocks: "b".into(),
            cases: BTreeMap::from([
                ("base-few".into(), case("few")),
                ("base-many".into(), case("many")),
            ]),
        }
    }

    /// A good run of each kind of both cases, and a bad one.
    fn records() -> Vec<RunRecord> {
        let run = |case: &str, phase| {
            let run = PlannedRun { case: case.into(), phase, repeat: 1 };
            RunRecord { run, verdict: RunVerdict::Good, ..record(case, 1) }
        };
        let phases = [RunPhase::Traced, RunPhase::Power, RunPhase::Idle];
        let good = ["base-few", "base-many"].into_iter().flat_map(|c| phases.map(|p| run(c, p)));
        good.chain([record("base-few", 2)]).collect()
    }

    fn outcome(old: &[(&str, &str)], new: &[(&str, &str)]) -> BasisVerdict {
        BasisChanges::between(&basis(old), &basis(new)).outcome(&records())
    }

    fn goes_on(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<String> {
        match outcome(old, new) {
            BasisVerdict::GoesOn(lines) => lines,
            BasisVerdict::Refused(lines) => panic!("refused: {lines:?}"),
        }
    }

    fn refused(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<String> {
        match outcome(old, new) {
            BasisVerdict::Refused(lines) => lines,
            BasisVerdict::GoesOn(lines) => panic!("goes on: {lines:?}"),
        }
    }

    #[test]
    fn microbenchmarks_and_repeats_void_no_run() {
        let lines =
            goes_on(&[("microbenchmarks.repeats", "3")], &[("microbenchmarks.repeats", "5")]);
        let expected = [
            "[microbenchmarks] repeats was 3 and is 5: it concerns the microbenchmarks alone",
            "6 runs of the campaign are kept",
        ];
        assert_eq!(lines, expected);
        let lines = goes_on(&[("campaign.repeats", "2")], &[("campaign.repeats", "4")]);
        assert!(lines[1].starts_with("6 runs"), "{lines:?}");
        let lines = goes_on(&[("description", "\"a\"")], &[]);
        assert_eq!(lines[0], "description was \"a\" and is not set: no run depends on it");
        let lines = goes_on(&[], &[("campaign.idle", "\"campaign\"")]);
        let expected = "[campaign] idle was not set and is \"campaign\": no run depends on it";
        assert_eq!(lines[0], expected);
    }

    #[test]
    fn an_input_voids_the_sessions_with_it() {
        let lines = goes_on(&[("input.few.frames", "1")], &[("input.few.frames", "2")]);
        let expected = [
            "[[input]] few.frames was 1 and is 2: it concerns the 1 case of input few",
            "4 runs of the campaign are kept, 2 are made again",
        ];
        assert_eq!(lines, expected);
        // The session's frames concern inputs without their own.
        let own = ("input.many.frames", "9");
        let lines = goes_on(&[("session.frames", "1"), own], &[("session.frames", "2"), own]);
        assert!(lines[0].contains("the 1 case of input few"), "{lines:?}");
    }

    #[test]
    fn a_campaign_of_which_nothing_is_left_is_refused() {
        let lines = refused(&[("session.frames", "1")], &[("session.frames", "2")]);
        assert!(lines[0].starts_with("[session] frames was 1 and is 2"), "{lines:?}");
        let lines = refused(&[], &[("board.rails", "[\"arm\"]")]);
        let expected = "[board] rails was not set and is [\"arm\"]: all 6 runs depend on it";
        assert_eq!(lines, [expected]);
        assert!(
            refused(&[("campaign.cases", "3")], &[("campaign.cases", "4")])[0].contains("plan")
        );
        let mut other = basis(&[]);
        other.files.insert("a/Main.java".into(), "2".into());
        other.blocks = "c".into();
        let BasisVerdict::Refused(lines) =
            BasisChanges::between(&basis(&[]), &other).outcome(&records())
        else {
            panic!("other sources")
        };
        assert_eq!(lines, ["a/Main.java changed: all 6 runs depend on it"]);
    }

    #[test]
    fn raised_limits_try_bad_runs_again() {
        let changes = BasisChanges::between(&basis(&[]), &basis(&[("session.limit_s", "9.0")]));
        let kept = records().iter().filter(|record| changes.keeps(record)).count();
        assert_eq!(kept, 6, "all but the bad one");
    }
}

//! What the runs of a campaign depend on, part by part: so that a changed scenario names
//! its changed keys, and voids no run that does not depend on them. The journal keeps it;
//! a run is held to the basis that it was made on.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::campaign::{PlannedCase, RunPhase};
use crate::format::{counted, counted_as};
use crate::scenario::{Keys, table_of};
use crate::toolchain::artifact::hash_of_bytes;

use super::record::RunRecord;

/// Everything that a campaign's runs depend on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CampaignBasis {
    /// The scenario's keys, without those that say where files lie.
    pub scenario: Keys,
    /// Hash of each file that the application is built of, by name.
    pub files: BTreeMap<String, String>,
    /// Hash of the names of all blocks: plan and counts go by their numbers.
    pub blocks: String,
    /// What each case of the plan is, by its name.
    pub cases: BTreeMap<String, CaseBasis>,
}

/// What tells a case from others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseBasis {
    /// Its input sequence.
    pub input: String,
    /// Hash of the numbers of its removed blocks.
    pub removed: String,
}

/// Tables of a scenario that say where files lie; the files' hashes tell more.
const PLACES: [&str; 3] = ["source", "library", "offline"];

impl CampaignBasis {
    /// The basis of a scenario's campaign with these files and cases.
    pub fn new(
        scenario: &Keys,
        files: BTreeMap<String, String>,
        blocks: &str,
        cases: &[PlannedCase],
    ) -> Self {
        let tells = |key: &&String| !PLACES.contains(&table_of(key).0);
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

    /// What tells a case's variant from others; none of the unremoved one.
    pub(super) fn variant_of(&self, case: &str) -> Option<&str> {
        let removed = &self.cases.get(case)?.removed;
        (!removed.is_empty() && *removed != short_hash(b"")).then_some(removed)
    }

    fn inputs(&self) -> BTreeSet<&str> {
        self.cases.values().map(|case| case.input.as_str()).collect()
    }
}

/// The first half of a SHA-256: enough to tell the files of one folder apart.
pub(crate) fn short_hash(bytes: &[u8]) -> String {
    hash_of_bytes(bytes)[..32].to_string()
}

/// Which runs a change concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Concern {
    /// None: it is about what comes after the runs.
    Later,
    /// Those of microbenchmarks, which are kept apart.
    Microbenchmarks,
    /// How many there are.
    Number,
    /// Bad ones: whether they are bad.
    BadRuns,
    /// The plan is made with it; its runs are of other cases.
    Plan,
    /// Those with the application and one of these inputs.
    Inputs(BTreeSet<String>),
    /// All.
    AllRuns,
}

/// One change between two bases.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BasisChange {
    /// `[microbenchmarks] repeats was 3 and is 5`.
    what: String,
    concern: Concern,
}

/// All that changed between two bases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Changes {
    changes: Vec<BasisChange>,
    /// Cases that are in both and the same, with their input.
    same_cases: BTreeMap<String, String>,
}

impl Changes {
    pub(super) fn between(old: &CampaignBasis, new: &CampaignBasis) -> Self {
        let keys: BTreeSet<&String> = old.scenario.keys().chain(new.scenario.keys()).collect();
        let changed =
            keys.into_iter().filter(|key| old.scenario.get(*key) != new.scenario.get(*key));
        let mut changes: Vec<BasisChange> = changed.map(|key| changed_key(key, old, new)).collect();
        changes.extend(changed_files(old, new));
        if changes.iter().all(|change| change.concern != Concern::AllRuns)
            && old.blocks != new.blocks
        {
            let what = "the same sources are divided into other blocks: another version of \
                        wattline does so";
            changes.push(BasisChange { what: what.into(), concern: Concern::AllRuns });
        }
        let same = new.cases.iter().filter(|(name, case)| old.cases.get(*name) == Some(case));
        let same_cases: BTreeMap<String, String> =
            same.map(|(name, case)| (name.clone(), case.input.clone())).collect();
        if same_cases.len() < new.cases.len().max(old.cases.len()) {
            let other = new.cases.len() - same_cases.len();
            let cases = counted(new.cases.len(), "case");
            let what = format!("plan.csv is another: {other} of its {cases}");
            changes.push(BasisChange { what, concern: Concern::Number });
        }
        Self { changes, same_cases }
    }

    /// Whether a run that was made on the old basis is one of the new.
    pub(super) fn keep(&self, record: &RunRecord) -> bool {
        let Some(input) = self.same_cases.get(&record.run.case) else { return false };
        self.changes.iter().all(|change| match &change.concern {
            Concern::Later | Concern::Microbenchmarks | Concern::Number | Concern::Plan => true,
            Concern::BadRuns => record.is_good(),
            // No application runs in an idle session.
            Concern::Inputs(inputs) => {
                record.run.phase == RunPhase::Idle || !inputs.contains(input)
            }
            Concern::AllRuns => false,
        })
    }

    fn other_plan(&self) -> bool {
        self.changes.iter().any(|change| change.concern == Concern::Plan)
    }

    /// What becomes of `records`, the runs of the old basis: lines to be said, or to be
    /// refused with.
    pub(super) fn outcome(&self, records: &[RunRecord]) -> BasisVerdict {
        let good = || records.iter().filter(|record| record.is_good());
        let kept = good().filter(|record| self.keep(record)).count();
        let runs_application = |record: &&RunRecord| record.run.phase != RunPhase::Idle;
        let of_use = good().filter(runs_application).any(|record| self.keep(record));
        let void = good().count() - kept;
        let lines = self.changes.iter().map(|change| self.line(change, good().count()));
        let lines: Vec<String> = lines.collect();
        if self.other_plan() || (void > 0 && !of_use) {
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
        let concern = match &change.concern {
            Concern::Later => "no run depends on it".to_string(),
            Concern::Microbenchmarks => "it concerns the microbenchmarks alone".to_string(),
            Concern::Number => "runs are added or spared".to_string(),
            Concern::BadRuns => "good runs stay, bad ones are made again".to_string(),
            Concern::Plan => "the plan would be another".to_string(),
            Concern::Inputs(inputs) => {
                let cases = self.same_cases.values().filter(|input| inputs.contains(*input));
                let names: Vec<&str> = inputs.iter().map(String::as_str).collect();
                let cases = counted(cases.count(), "case");
                format!("it concerns the {cases} of input {}", names.join(", "))
            }
            Concern::AllRuns if runs == 1 => "its one run depends on it".to_string(),
            Concern::AllRuns => format!("all {runs} runs depend on it"),
        };
        format!("{}: {concern}", change.what)
    }
}

/// What becomes of a campaign whose basis changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BasisVerdict {
    /// It goes on; lines that say what changed and how much is kept.
    GoesOn(Vec<String>),
    /// Nothing would be left of it; lines that say what changed.
    Refused(Vec<String>),
}

fn changed_key(key: &str, old: &CampaignBasis, new: &CampaignBasis) -> BasisChange {
    let value = |basis: &CampaignBasis| basis.scenario.get(key).cloned();
    let (was, is) = (value(old), value(new));
    let name = match table_of(key) {
        (key, "") => key.to_string(),
        ("input", rest) => format!("[[input]] {rest}"),
        (table, rest) => format!("[{table}] {rest}"),
    };
    let said = |value: Option<String>| value.unwrap_or_else(|| "not set".into());
    let what = format!("{name} was {} and is {}", said(was), said(is));
    BasisChange { what, concern: concern(key, old, new) }
}

fn concern(key: &str, old: &CampaignBasis, new: &CampaignBasis) -> Concern {
    match table_of(key) {
        ("name" | "description" | "hints", _) => Concern::Later,
        ("microbenchmarks", _) => Concern::Microbenchmarks,
        ("limits", _) | ("session", "limit_s") => Concern::BadRuns,
        ("campaign", "window_s") => Concern::Later,
        ("campaign", "protocol") => Concern::AllRuns,
        ("campaign", key) if is_number_of_runs(key) => Concern::Number,
        ("campaign", _) => Concern::Plan,
        ("session", key) if key.starts_with("dry_extras") => Concern::Plan,
        ("session", key) if key == "frames" || key.starts_with("extras.") => {
            Concern::Inputs(inputs_without(key, old, new))
        }
        ("input", rest) => match table_of(rest).0 {
            input if old.inputs().contains(input) && new.inputs().contains(input) => {
                Concern::Inputs(BTreeSet::from([input.to_string()]))
            }
            _ => Concern::Plan,
        },
        _ => Concern::AllRuns,
    }
}

fn is_number_of_runs(key: &str) -> bool {
    ["repeats", "idle_repeats", "traced_repeats", "sampled_repeats", "max_retries", "stop.lines"]
        .contains(&key)
}

/// The inputs that have no key of their own in the place of the session's.
fn inputs_without(key: &str, old: &CampaignBasis, new: &CampaignBasis) -> BTreeSet<String> {
    let has_own = |input: &str| {
        let own = format!("input.{input}.{key}");
        old.scenario.contains_key(&own) && new.scenario.contains_key(&own)
    };
    new.inputs().into_iter().filter(|input| !has_own(input)).map(str::to_string).collect()
}

/// So many changed files are named.
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
    Some(BasisChange { what, concern: Concern::AllRuns })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::PlannedRun;
    use crate::run::RunVerdict;
    use crate::run::campaign::tests::record;

    fn keys(pairs: &[(&str, &str)]) -> Keys {
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
        Changes::between(&basis(old), &basis(new)).outcome(&records())
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
            Changes::between(&basis(&[]), &other).outcome(&records())
        else {
            panic!("other sources")
        };
        assert_eq!(lines, ["a/Main.java changed: all 6 runs depend on it"]);
    }

    #[test]
    fn raised_limits_try_bad_runs_again() {
        let changes = Changes::between(&basis(&[]), &basis(&[("session.limit_s", "9.0")]));
        let kept = records().iter().filter(|record| changes.keep(record)).count();
        assert_eq!(kept, 6, "all but the bad one");
    }
}

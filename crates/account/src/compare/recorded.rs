//! Recordings of `monitor`, one or several on each side. A method's energy is known without a
//! model of its own; several recordings of a side are its repeats, and one alone has no error.
//! Energies follow the length of a recording and the power of its machine; parts of the whole
//! do so less. A comparison has both.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::MethodKey;
use crate::format::{self, signed_percent};

use super::budget::Spending;
use super::change::{AllowedIncrease, GateVerdict, judge_change};
use super::measurement::change_between;
use super::shares::{RecordedShares, Stability};
use super::stability::share_rows;
use super::uncertain_energy::UncertainEnergy;
use super::{ChangeRow, CompareMode, Comparison, Subject};
use crate::units::Joules;

/// What one recording says, in joules.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordedRun {
    /// Its length in seconds.
    pub duration_s: f64,
    /// All parts of the machine.
    pub machine_j: f64,
    /// What its methods are parts of: a JVM's energy, or that of all processes.
    pub whole_j: f64,
    /// Methods of the JVM, or processes by name.
    pub methods: BTreeMap<MethodKey, f64>,
    /// What of the whole no method is known for, by name.
    pub rests: Vec<(&'static str, f64)>,
}

impl RecordedRun {
    /// Energy of a class's methods, in joules.
    pub(super) fn class_j(&self, class: &str) -> f64 {
        let own = self.methods.iter().filter(|(key, _)| key.class == class);
        own.fold(0.0, |sum, (_, joules)| sum + joules)
    }

    /// Names of the classes of its methods.
    pub(super) fn classes(&self) -> Vec<String> {
        self.methods.keys().map(|key| key.class.clone()).collect()
    }
}

/// The recordings of both sides.
#[derive(Debug, Clone, Copy)]
pub struct RecordedSides<'r> {
    /// What the whole is: `the JVM`, or `all processes`.
    pub whole: &'static str,
    /// Whether the methods have classes that say more than they do.
    pub has_classes: bool,
    /// The base's recordings, one at least.
    pub base: &'r [RecordedRun],
    /// The new ones, one at least.
    pub new: &'r [RecordedRun],
    /// What repeating a whole side would add to the error, as a share of the energy.
    pub between: f64,
}

impl RecordedSides<'_> {
    /// Energies with their changes and intervals, and parts of the whole.
    pub fn compare(&self, limit: AllowedIncrease) -> Comparison {
        let whole = self.changed(|run| run.whole_j);
        let row =
            |subject, change| ChangeRow { subject, change, verdict: None, remark: String::new() };
        let verdict = judge_change(&whole, limit);
        let remark = if verdict == GateVerdict::NoData { self.no_interval() } else { None };
        let headline = ChangeRow {
            verdict: Some(verdict),
            remark: remark.unwrap_or_default(),
            ..row(Subject::Recording(self.whole.into()), whole)
        };
        let mut parts =
            vec![row(Subject::Part("the machine".into()), self.changed(|r| r.machine_j))];
        parts.extend(self.rests().into_iter().map(|name| {
            let of = |run: &RecordedRun| {
                run.rests.iter().filter(|(rest, _)| *rest == name).map(|(_, joules)| joules).sum()
            };
            row(Subject::Part(name.into()), self.changed(of))
        }));
        let methods = self.keys(|run| run.methods.keys().cloned().collect()).into_iter();
        let methods = methods.map(|key| {
            let change = self.changed(|run| run.methods.get(&key).copied().unwrap_or(0.0));
            row(Subject::Method(key), change)
        });
        let classes = self.keys(RecordedRun::classes).into_iter();
        let classes = classes.filter(|_| self.has_classes).map(|name| {
            let change = self.changed(|run| run.class_j(&name));
            row(Subject::Class(name), change)
        });
        Comparison {
            mode: CompareMode::Recorded,
            limit,
            headline,
            inputs: parts,
            classes: largest_first(classes.collect()),
            methods: largest_first(methods.collect()),
            unchanged: 0,
            budgets: Vec::new(),
            duration_s: self.new.iter().map(|run| run.duration_s).sum(),
            notes: vec![self.power_note()],
            recorded: Some(RecordedShares {
                rows: share_rows(self),
                stability: Stability::of(self.base, self.new),
            }),
        }
    }

    /// What classes and methods of the new side spend.
    pub fn spending(&self) -> Spending {
        let mut spending = Spending::new();
        let figure = |joules: &dyn Fn(&RecordedRun) -> f64| {
            self.mean(self.new.iter().map(joules)).map(|mean| (Joules(mean.value), mean.interval()))
        };
        let methods: BTreeSet<&MethodKey> =
            self.new.iter().flat_map(|run| run.methods.keys()).collect();
        for key in &methods {
            let of = |run: &RecordedRun| run.methods.get(*key).copied().unwrap_or(0.0);
            let name = Subject::Method((*key).clone()).name();
            spending.insert(("method", name), figure(&of));
        }
        let classes: BTreeSet<&str> = methods.iter().map(|key| key.class.as_str()).collect();
        for class in classes {
            let of = |run: &RecordedRun| run.class_j(class);
            spending.insert(("class", class.to_owned()), figure(&of));
        }
        spending
    }

    /// The mean over recordings; a method that one of them lacks has spent nothing there.
    pub(super) fn mean(&self, values: impl Iterator<Item = f64>) -> Option<UncertainEnergy> {
        let mean = UncertainEnergy::mean_of(&values.collect::<Vec<f64>>())?;
        Some(mean.with_relative_error(self.between))
    }

    fn changed(&self, of: impl Fn(&RecordedRun) -> f64) -> super::EnergyChange {
        let [base, new] = [self.base, self.new].map(|runs| self.mean(runs.iter().map(&of)));
        change_between(base.as_ref(), new.as_ref())
    }

    /// What any recording of either side has.
    pub(super) fn keys<K: Ord>(&self, of: impl Fn(&RecordedRun) -> Vec<K>) -> BTreeSet<K> {
        self.base.iter().chain(self.new).flat_map(of).collect()
    }

    fn rests(&self) -> Vec<&'static str> {
        let all = self.base.iter().chain(self.new).flat_map(|run| &run.rests);
        let mut names: Vec<&'static str> = Vec::new();
        for (name, _) in all {
            if !names.contains(name) {
                names.push(name);
            }
        }
        names
    }

    /// Why there is no interval, where repeats are missing.
    fn no_interval(&self) -> Option<String> {
        let side = match (self.base.len(), self.new.len()) {
            (1, 1) => "both sides",
            (1, _) => "base",
            (_, 1) => "new",
            _ => return None,
        };
        Some(format!(
            "one recording has no error: {side}; give repeats (--base-repeats, --new-repeats)"
        ))
    }

    /// Mean powers, which don't follow the length of a recording.
    fn power_note(&self) -> String {
        let watts = |run: &RecordedRun| run.whole_j / run.duration_s.max(f64::MIN_POSITIVE);
        let [base, new] = [self.base, self.new].map(|runs| self.mean(runs.iter().map(watts)));
        let seconds = |runs: &[RecordedRun]| {
            let sum: f64 = runs.iter().map(|run| run.duration_s).sum();
            sum / runs.len().max(1) as f64
        };
        let watts = |mean: &Option<UncertainEnergy>| mean.as_ref().map_or(0.0, |mean| mean.value);
        let change = change_between(base.as_ref(), new.as_ref());
        let (share, interval) = (change.share(), change.share_interval);
        format!(
            "mean power of {}: {:.3} W in {:.1} s against {:.3} W in {:.1} s, {} (95 % interval: \
             {}); energies follow the length of a recording, powers and shares do not",
            self.whole,
            watts(&base),
            seconds(self.base),
            watts(&new),
            seconds(self.new),
            share.map_or(format::NONE.into(), signed_percent),
            interval.map_or(format::NONE.into(), |(lo, hi)| format!(
                "{} to {}",
                signed_percent(lo),
                signed_percent(hi)
            )),
        )
    }
}

/// By the size of the change.
fn largest_first(mut rows: Vec<ChangeRow>) -> Vec<ChangeRow> {
    let size = |row: &ChangeRow| row.change.difference().map_or(0.0, |change| change.0.abs());
    rows.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| a.subject.cmp(&b.subject)));
    rows
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn key(name: &str) -> MethodKey {
        MethodKey { class: "a.A".into(), method: name.into() }
    }

    /// A recording of 10 s: 12 J of the machine more than its JVM has, 1 J of no method.
    pub(in super::super) fn run(x: f64, y: f64, z: f64) -> RecordedRun {
        let methods = [("x()", x), ("y()", y), ("z()", z)];
        let methods = methods.into_iter().filter(|(_, joules)| *joules > 0.0);
        RecordedRun {
            duration_s: 10.0,
            machine_j: x + y + z + 13.0,
            whole_j: x + y + z + 1.0,
            methods: methods.map(|(name, joules)| (key(name), joules)).collect(),
            rests: vec![("the JVM itself", 1.0)],
        }
    }

    pub(in super::super) fn sides<'r>(
        base: &'r [RecordedRun],
        new: &'r [RecordedRun],
    ) -> RecordedSides<'r> {
        RecordedSides { whole: "the JVM", has_classes: true, base, new, between: 0.0 }
    }

    /// x: 10, 12, 14 J against 20, 22 J. Means 12 and 21, variances of the means 4/3 and 1:
    /// (7/3)^2 / ((4/3)^2/2 + 1^2/1) = 2.88, down to 2 degrees: t = 4.30265.
    #[test]
    fn methods_change_by_the_means_of_repeats_with_welchs_interval() {
        let base = [run(10.0, 5.0, 2.0), run(12.0, 5.0, 2.0), run(14.0, 5.0, 2.0)];
        let new = [run(20.0, 5.0, 0.0), run(22.0, 5.0, 0.0)];
        let comparison = sides(&base, &new).compare(AllowedIncrease(0.0));
        let x = &comparison.methods[0];
        assert_eq!(x.subject, Subject::Method(key("x()")));
        assert_eq!((x.change.base, x.change.new), (Some(Joules(12.0)), Some(Joules(21.0))));
        let half = 4.302_65 * (4.0_f64 / 3.0 + 1.0).sqrt();
        let interval = x.change.interval.unwrap();
        assert!((interval.lo.0 - (9.0 - half)).abs() < 1e-3, "{interval:?}");
        assert!((interval.hi.0 - (9.0 + half)).abs() < 1e-3, "{interval:?}");
        // z is gone, y did not change: the largest change is first.
        let names: Vec<String> = comparison.methods.iter().map(|row| row.subject.name()).collect();
        assert_eq!(names, ["a.A.x()", "a.A.z()", "a.A.y()"]);
        assert_eq!(comparison.methods[1].change.new, Some(Joules(0.0)));
        assert_eq!(comparison.classes[0].change.base, Some(Joules(19.0)));
        assert_eq!(comparison.headline.change.base, Some(Joules(20.0)));
        let parts: Vec<f64> =
            comparison.inputs.iter().map(|row| row.change.base.unwrap().0).collect();
        assert_eq!(parts, [32.0, 1.0]);
    }

    #[test]
    fn one_recording_a_side_has_no_interval_and_no_verdict() {
        let (base, new) = ([run(10.0, 5.0, 2.0)], [run(20.0, 5.0, 2.0)]);
        let comparison = sides(&base, &new).compare(AllowedIncrease(0.0));
        assert_eq!(comparison.verdict(), GateVerdict::NoData);
        assert!(comparison.headline.remark.contains("one recording has no error: both sides"));
        let x = &comparison.methods[0].change;
        assert_eq!((x.difference(), x.interval), (Some(Joules(10.0)), None));
        assert!(
            comparison.notes[0].contains("1.800 W in 10.0 s against 2.800 W in 10.0 s, +55.6 %")
        );
    }

    #[test]
    fn repeats_that_agree_give_a_verdict_and_budgets_figures() {
        let base = [run(10.0, 5.0, 2.0), run(10.1, 5.0, 2.0), run(9.9, 5.0, 2.0)];
        let new = [run(12.0, 5.0, 2.0), run(12.1, 5.0, 2.0), run(11.9, 5.0, 2.0)];
        let sides = sides(&base, &new);
        assert_eq!(sides.compare(AllowedIncrease(0.0)).verdict(), GateVerdict::Increase);
        assert_eq!(sides.compare(AllowedIncrease(0.2)).verdict(), GateVerdict::Pass);
        let spending = sides.spending();
        let (mean, interval) = spending[&("method", "a.A.x()".into())].unwrap();
        assert!((mean.0 - 12.0).abs() < 1e-9 && interval.unwrap().lo.0 < 12.0);
        assert!(spending.contains_key(&("class", "a.A".into())));
        // An error that is known beforehand takes the verdict back.
        let unsure = RecordedSides { between: 0.5, ..sides };
        assert_eq!(unsure.compare(AllowedIncrease(0.0)).verdict(), GateVerdict::Pass);
    }
}

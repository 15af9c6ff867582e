//! Measured energies of the cases without removals, input by input, and the headline from them;
//! no model is needed. The energy of an input is the mean over its power runs of energy less idle
//! power x duration, with the idle power of the input's own idle runs, or of all of the campaign.
//! The sum over inputs has each input's run-to-run error and that of its own idle power, and the
//! error of a common idle power once.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{AllowedIncrease, EnergyChange, judge_change};
use super::uncertain_energy::UncertainEnergy;
use super::{ChangeRow, Subject};

/// Energy and duration of one power run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerRunEnergy {
    /// Energy of the session in joules, idle included.
    pub energy_j: f64,
    /// Duration of the session in seconds.
    pub duration_s: f64,
}

/// Valid power runs of one input sequence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InputRuns {
    /// The runs.
    pub repeats: Vec<PowerRunEnergy>,
    /// Mean power in watts of each valid idle run of its own; empty where those of the campaign
    /// are taken.
    pub idle_powers_w: Vec<f64>,
}

/// Power and idle runs of a campaign's cases without removals.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measurement {
    /// By input sequence.
    pub inputs: BTreeMap<String, InputRuns>,
    /// Mean power in watts of each valid idle run, for inputs without idle runs of their own.
    pub idle_powers_w: Vec<f64>,
    /// Additional relative error from repeating the whole campaign, given in advance; 0 where
    /// unknown.
    pub between_campaigns: f64,
}

impl Measurement {
    /// Energy above idle of one input, if it was measured.
    pub fn input(&self, name: &str) -> Option<UncertainEnergy> {
        self.sum([name])
    }

    /// Total duration of all power runs, in seconds.
    pub fn duration_s(&self) -> f64 {
        let repeats = self.inputs.values().flat_map(|runs| &runs.repeats);
        repeats.map(|run| run.duration_s).sum()
    }

    /// Energy above idle of these inputs together, if all were measured.
    pub fn sum<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Option<UncertainEnergy> {
        let common = UncertainEnergy::mean_of(&self.idle_powers_w);
        let mut runs = UncertainEnergy { value: 0.0, parts: Some(Vec::new()) };
        let mut common_s = 0.0;
        for name in names {
            let InputRuns { repeats, idle_powers_w } = self.inputs.get(name)?;
            let own = UncertainEnergy::mean_of(idle_powers_w);
            let idle = own.as_ref().or(common.as_ref())?;
            let above = |run: &PowerRunEnergy| run.energy_j - idle.value * run.duration_s;
            let above: Vec<f64> = repeats.iter().map(above).collect();
            runs = runs.plus(UncertainEnergy::mean_of(&above)?);
            let durations: f64 = repeats.iter().map(|run| run.duration_s).sum();
            let duration_s = durations / repeats.len() as f64;
            match &own {
                Some(own) => runs = runs.plus(own.error_over(duration_s)),
                None => common_s += duration_s,
            }
        }
        if let Some(common) = common.filter(|_| common_s > 0.0) {
            runs = runs.plus(common.error_over(common_s));
        }
        Some(runs.with_relative_error(self.between_campaigns))
    }
}

/// The headline and a row per input. An input that only one side has is `NoData`, and so is the
/// headline then.
pub fn compare_measured(
    scenario: &str,
    base: &Measurement,
    new: &Measurement,
    limit: AllowedIncrease,
) -> (ChangeRow, Vec<ChangeRow>) {
    let names: BTreeSet<&str> = base.inputs.keys().chain(new.inputs.keys()).map(|n| &**n).collect();
    let row = |subject, names: &[&str], gated: bool| {
        let (base, new) = (base.sum(names.iter().copied()), new.sum(names.iter().copied()));
        let change = change_between(base.as_ref(), new.as_ref());
        let remark = remark(base.as_ref(), new.as_ref());
        let verdict = gated.then(|| judge_change(&change, limit));
        ChangeRow { subject, change, verdict, remark }
    };
    let all: Vec<&str> = names.iter().copied().collect();
    let mut headline = row(Subject::Scenario(scenario.into()), &all, true);
    if all.is_empty() {
        headline.change = EnergyChange::default();
        headline.verdict = Some(super::GateVerdict::NoData);
        headline.remark = "nothing was measured on either side".into();
    }
    let inputs = all.iter().map(|name| row(Subject::Input((*name).into()), &[name], false));
    (headline, inputs.collect())
}

/// The change, as far as both sides exist.
pub(super) fn change_between(
    base: Option<&UncertainEnergy>,
    new: Option<&UncertainEnergy>,
) -> EnergyChange {
    match (base, new) {
        (Some(base), Some(new)) => EnergyChange::of(base, new),
        (base, new) => EnergyChange {
            base: base.map(|base| crate::units::Joules(base.value)),
            new: new.map(|new| crate::units::Joules(new.value)),
            ..EnergyChange::default()
        },
    }
}

/// Why a change has no figure or no interval.
fn remark(base: Option<&UncertainEnergy>, new: Option<&UncertainEnergy>) -> String {
    let alone = |side: Option<&UncertainEnergy>| side.is_some_and(|side| side.parts.is_none());
    let side = |is_base: bool, is_new: bool| match (is_base, is_new) {
        (true, true) => Some("both sides"),
        (true, false) => Some("base"),
        (false, true) => Some("new"),
        (false, false) => None,
    };
    if let Some(side) = side(base.is_none(), new.is_none()) {
        return format!("not measured: {side}; run the campaign with the same inputs");
    }
    let single = side(alone(base), alone(new));
    let single = single.map(|side| format!("a single run has no error: {side}; raise `repeats`"));
    single.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::GateVerdict;

    pub(crate) fn measurement(inputs: &[(&str, &[f64])], idle: &[f64]) -> Measurement {
        let repeat = |energy_j: &f64| PowerRunEnergy { energy_j: *energy_j, duration_s: 10.0 };
        let runs = |values: &[f64]| InputRuns {
            repeats: values.iter().map(repeat).collect(),
            idle_powers_w: Vec::new(),
        };
        Measurement {
            inputs: inputs.iter().map(|(name, runs_j)| ((*name).into(), runs(runs_j))).collect(),
            idle_powers_w: idle.to_vec(),
            between_campaigns: 0.0,
        }
    }

    /// Two inputs of 20 and 30 J above 1 W x 10 s; the idle power is off by 0.1 W (n = 2,
    /// 0.2 apart): 20 s x 0.1 W = 2 J on the sum, not sqrt(1 + 1).
    #[test]
    fn inputs_share_the_error_of_the_idle_power() {
        let one = measurement(&[("a", &[29.0, 31.0]), ("b", &[40.0, 40.0])], &[0.9, 1.1]);
        let a = one.input("a").unwrap();
        assert!((a.value - 20.0).abs() < 1e-9);
        assert!((a.variance().unwrap() - (1.0 + 1.0)).abs() < 1e-9);
        let both = one.sum(["a", "b"]).unwrap();
        assert!((both.value - 50.0).abs() < 1e-9);
        assert!((both.variance().unwrap() - (1.0 + 4.0)).abs() < 1e-9);
    }

    /// The same with idle runs of their own: 1 J on each, and sqrt(1 + 1) on the sum.
    #[test]
    fn inputs_with_idle_runs_of_their_own_have_errors_of_their_own() {
        let mut one = measurement(&[("a", &[29.0, 31.0]), ("b", &[50.0, 50.0])], &[9.0]);
        for (name, idle) in [("a", [0.9, 1.1]), ("b", [1.9, 2.1])] {
            one.inputs.get_mut(name).unwrap().idle_powers_w = idle.to_vec();
        }
        let both = one.sum(["a", "b"]).unwrap();
        assert!((both.value - 50.0).abs() < 1e-9);
        assert!((both.variance().unwrap() - (1.0 + 1.0 + 1.0)).abs() < 1e-9);
    }

    #[test]
    fn what_only_one_side_measured_is_no_data() {
        let idle = [1.0, 1.0];
        let base = measurement(&[("a", &[29.0, 31.0]), ("b", &[40.0, 41.0])], &idle);
        let new = measurement(&[("a", &[29.0, 31.0])], &idle);
        let (headline, inputs) = compare_measured("s", &base, &new, AllowedIncrease(0.0));
        assert_eq!(headline.verdict, Some(GateVerdict::NoData));
        assert!(headline.remark.contains("not measured: new"), "{}", headline.remark);
        assert!(inputs[0].change.interval.is_some() && inputs[1].change.new.is_none());
        let nothing = Measurement::default();
        let (headline, _) = compare_measured("s", &nothing, &nothing, AllowedIncrease(0.0));
        assert_eq!(headline.verdict, Some(GateVerdict::NoData));
    }

    #[test]
    fn single_runs_are_no_data() {
        let base = measurement(&[("a", &[29.0])], &[1.0, 1.0]);
        let new = measurement(&[("a", &[49.0, 50.0])], &[1.0, 1.0]);
        let (headline, _) = compare_measured("s", &base, &new, AllowedIncrease(0.0));
        assert_eq!(headline.verdict, Some(GateVerdict::NoData));
        assert!(headline.remark.contains("repeats"), "{}", headline.remark);
    }

    #[test]
    fn a_known_error_between_campaigns_widens_the_interval() {
        let base = measurement(&[("a", &[109.9, 110.0, 110.1])], &[1.0, 1.0]);
        let mut new = measurement(&[("a", &[114.9, 115.0, 115.1])], &[1.0, 1.0]);
        let verdict =
            |new: &Measurement| compare_measured("s", &base, new, AllowedIncrease(0.01)).0.verdict;
        assert_eq!(verdict(&new), Some(GateVerdict::Increase));
        new.between_campaigns = 0.05;
        assert_eq!(verdict(&new), Some(GateVerdict::Pass));
    }
}

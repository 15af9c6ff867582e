//! Overheads of measuring: how much more energy, time and CPU time runs with probes, or with a
//! sampling profiler, take than power runs of the same cases.

use std::collections::BTreeSet;

use crate::campaign::RunPhase;
use crate::dataset::energy::{PowerRun, mean};
use crate::dataset::idle_runs_of;
use crate::model::student_975;
use crate::run::{MeasuredSession, RunRecord};
use crate::scenario::IdlePolicy;

use super::ScenarioFacts;

/// Relative increase of the sum over cases, with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelativeIncrease {
    /// Increase relative to the power runs: 0.5 for half as much again.
    pub relative: f64,
    /// 95 % interval by the spread over cases; absent for one case.
    pub interval: Option<(f64, f64)>,
}

/// Overhead of the runs of one phase against power runs of the same cases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunOverhead {
    /// Number of cases with runs of both.
    pub cases: usize,
    /// Increase of the energy above idle; absent where power runs have none.
    pub energy: Option<RelativeIncrease>,
    /// Increase of the duration.
    pub duration: Option<RelativeIncrease>,
    /// Increase of the CPU time of the process; absent where it is not recorded.
    pub cpu_time: Option<RelativeIncrease>,
}

/// Overheads of measuring that the records of a campaign contain.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeasuringOverheads {
    /// Overhead of the probes, from traced runs; absent without them.
    pub probes: Option<RunOverhead>,
    /// Overhead of the sampling profiler, from sampled runs; absent without them.
    pub profiler: Option<RunOverhead>,
}

impl MeasuringOverheads {
    /// Computes the overheads from the good runs of the facts' board.
    pub fn of(facts: &ScenarioFacts) -> Self {
        let own: Vec<&RunRecord> = facts
            .records
            .iter()
            .filter(|record| record.is_good() && facts.is_own(record))
            .collect();
        Self {
            probes: RunOverhead::of(&own, RunPhase::Traced, facts.idle),
            profiler: RunOverhead::of(&own, RunPhase::Sampled, facts.idle),
        }
    }
}

/// Good runs of a case: those of a phase, power runs, and the mean idle power in watts that is
/// subtracted from both.
struct CaseRuns<'r> {
    with: Vec<&'r MeasuredSession>,
    without: Vec<&'r MeasuredSession>,
    idle_power_w: Option<f64>,
}

impl<'r> CaseRuns<'r> {
    fn of(records: &[&'r RunRecord], case: &str, phase: RunPhase, idle: IdlePolicy) -> Self {
        let sessions = |phase: RunPhase| {
            let of = records.iter().filter(|record| record.is_good_run_of(case, phase));
            of.filter_map(|record| record.measured.as_ref()).collect()
        };
        let idle = idle_runs_of(records.iter().copied(), case, idle);
        let powers_w: Vec<f64> =
            idle.filter_map(|run| Some(run.measured.as_ref()?.mean_power_w())).collect();
        let (with, without) = (sessions(phase), sessions(RunPhase::Power));
        Self { with, without, idle_power_w: mean(&powers_w) }
    }

    /// Energy of a run above idle in joules; `None` without idle runs.
    fn above_idle_j(&self, run: &MeasuredSession) -> Option<f64> {
        Some(PowerRun::from(run).above_idle_j(self.idle_power_w?))
    }

    /// Means of a figure over the runs of the phase and over the power runs; `None` where a run has
    /// no such figure.
    fn means(&self, figure: impl Fn(&MeasuredSession) -> Option<f64>) -> Option<(f64, f64)> {
        let mean_of = |runs: &[&MeasuredSession]| {
            mean(&runs.iter().map(|run| figure(run)).collect::<Option<Vec<f64>>>()?)
        };
        Some((mean_of(&self.with)?, mean_of(&self.without)?))
    }
}

impl RunOverhead {
    fn of(records: &[&RunRecord], phase: RunPhase, idle: IdlePolicy) -> Option<Self> {
        let cases: BTreeSet<&str> = records.iter().map(|record| record.run.case.as_str()).collect();
        let runs: Vec<CaseRuns<'_>> = cases
            .into_iter()
            .map(|case| CaseRuns::of(records, case, phase, idle))
            .filter(|runs| !runs.with.is_empty() && !runs.without.is_empty())
            .collect();
        if runs.is_empty() {
            return None;
        }
        let increase = |means: &dyn Fn(&CaseRuns<'_>) -> Option<(f64, f64)>| {
            RelativeIncrease::of(&runs.iter().filter_map(means).collect::<Vec<_>>())
        };
        Some(Self {
            cases: runs.len(),
            energy: increase(&|case| case.means(|run| case.above_idle_j(run))),
            duration: increase(&|case| case.means(|run| Some(run.duration_s))),
            cpu_time: increase(&|case| case.means(|run| Some(run.threads?.process_s))),
        })
    }
}

impl RelativeIncrease {
    /// Increase of the sum of the first figures over that of the second, case by case (the ratio
    /// estimator, whose interval is Student's t over cases); `None` if the second are not positive.
    fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let (with, without) = pairs
            .iter()
            .fold((0.0, 0.0), |(with, without), pair| (with + pair.0, without + pair.1));
        let ratio = with / without;
        if !(without > 0.0 && ratio.is_finite()) {
            return None;
        }
        let cases = pairs.len() as f64;
        let squares: f64 = pairs.iter().map(|pair| (pair.0 - ratio * pair.1).powi(2)).sum();
        let half = (pairs.len() > 1)
            .then(|| student_975(cases - 1.0) * (squares * cases / (cases - 1.0)).sqrt() / without);
        let relative = ratio - 1.0;
        Some(Self { relative, interval: half.map(|half| (relative - half, relative + half)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::power::RuntimeThreadTimes;
    use crate::run_record::record;

    /// Idle power is 1 W. Above it the power runs of two cases spend 10 and 20 J, the traced ones
    /// 15 and 33 J: 48 / 30. The residuals are 1 and -1 J, so that the standard error is 2 J of 30.
    #[test]
    fn probes_cost_what_traced_runs_spend_more() {
        let records = [
            record("a", RunPhase::Power, 1, 19.0, 10.0),
            record("a", RunPhase::Power, 2, 21.0, 10.0),
            record("a", RunPhase::Traced, 1, 26.0, 11.0),
            record("a", RunPhase::Idle, 1, 10.0, 10.0),
            record("b", RunPhase::Power, 1, 30.0, 10.0),
            record("b", RunPhase::Traced, 1, 44.0, 11.0),
            record("b", RunPhase::Idle, 1, 10.0, 10.0),
            record("c", RunPhase::Traced, 1, 99.0, 11.0),
        ];
        let own: Vec<&RunRecord> = records.iter().collect();
        let found = RunOverhead::of(&own, RunPhase::Traced, IdlePolicy::Paired).unwrap();
        assert_eq!((found.cases, found.cpu_time), (2, None));
        let energy = found.energy.unwrap();
        let (lo, hi) = energy.interval.unwrap();
        assert!((energy.relative - 0.6).abs() < 1e-12, "{energy:?}");
        assert!((hi - lo - 2.0 * 12.706_204_7 * 2.0 / 30.0).abs() < 1e-3, "{energy:?}");
        let duration = found.duration.unwrap();
        assert!((duration.relative - 0.1).abs() < 1e-12, "{duration:?}");
        assert_eq!(RunOverhead::of(&own, RunPhase::Sampled, IdlePolicy::Paired), None);
    }

    /// One case has no spread, and one without idle runs no energy above idle.
    #[test]
    fn what_records_do_not_contain_is_absent() {
        let mut traced = record("a", RunPhase::Traced, 1, 26.0, 11.0);
        let mut power = record("a", RunPhase::Power, 1, 20.0, 10.0);
        for (run, process_s) in [(&mut traced, 6.0), (&mut power, 4.0)] {
            let times = RuntimeThreadTimes { process_s, ..RuntimeThreadTimes::default() };
            run.measured.as_mut().unwrap().threads = Some(times);
        }
        let found =
            RunOverhead::of(&[&traced, &power], RunPhase::Traced, IdlePolicy::Paired).unwrap();
        assert_eq!(found.energy, None);
        let cpu_time = found.cpu_time.unwrap();
        assert!((cpu_time.relative - 0.5).abs() < 1e-12 && cpu_time.interval.is_none());
    }

    /// 26 J for 20 J, each of 10 s at an idle power of 1 W that only another case measured.
    #[test]
    fn idle_power_is_that_of_the_policy() {
        let records = [
            record("a", RunPhase::Power, 1, 20.0, 10.0),
            record("a", RunPhase::Traced, 1, 26.0, 10.0),
            record("b", RunPhase::Idle, 1, 10.0, 10.0),
        ];
        let own: Vec<&RunRecord> = records.iter().collect();
        let energy = |policy| RunOverhead::of(&own, RunPhase::Traced, policy).unwrap().energy;
        assert_eq!(energy(IdlePolicy::Paired), None);
        let found = energy(IdlePolicy::Campaign).unwrap();
        assert!((found.relative - 0.6).abs() < 1e-12, "{found:?}");
    }
}

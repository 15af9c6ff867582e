//! A change of energy: in joules with the Welch interval, in percent of the base with Fieller's
//! (E. C. Fieller, J. R. Stat. Soc. B 16, 1954), which stays valid where the base itself is
//! uncertain; and the verdict against a limit. No energy falls by more than 100 %: percentages
//! are at least -100 %.

use crate::account::Interval;
use crate::units::Joules;

use super::around;
use super::uncertain_energy::{UncertainEnergy, student_factor};

/// Largest increase that passes, as a share of the base.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AllowedIncrease(pub f64);

impl Default for AllowedIncrease {
    /// No increase: any that the interval confirms fails. Larger limits miss more
    /// (`docs/internals/compare.md`, Error rates).
    fn default() -> Self {
        AllowedIncrease(0.0)
    }
}

/// Verdict of a check, in ascending order of severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GateVerdict {
    /// No confirmed increase over the limit.
    Pass,
    /// Above a budget, with the whole 95 % interval.
    OverBudget,
    /// Above the limit, with the whole 95 % interval.
    Increase,
    /// Undecided: missing measurements, or a single one.
    NoData,
}

impl GateVerdict {
    /// Name in output files.
    pub fn name(self) -> &'static str {
        match self {
            GateVerdict::Pass => "pass",
            GateVerdict::OverBudget => "over budget",
            GateVerdict::Increase => "increase",
            GateVerdict::NoData => "no data",
        }
    }
}

/// Change of an energy that is no longer spent, as a share of the base.
pub(super) const ALL_GONE: f64 = -1.0;

/// Energies before and after, with the interval of their difference.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EnergyChange {
    /// Energy before; absent where there is nothing to compare.
    pub base: Option<Joules>,
    /// Energy after; absent where it is missing or cannot be predicted.
    pub new: Option<Joules>,
    /// 95 % interval of the difference in joules; absent where it is unknown.
    pub interval: Option<Interval>,
    /// 95 % interval of the difference as a share of the base.
    pub share_interval: Option<(f64, f64)>,
}

impl EnergyChange {
    /// Difference of two independent measurements, by Welch and Fieller.
    pub fn of(base: &UncertainEnergy, new: &UncertainEnergy) -> EnergyChange {
        let t = student_factor(base, new);
        let variances = base.variance().zip(new.variance());
        let half = t.zip(variances).map(|(t, (b, n))| t * (b + n).sqrt());
        let interval = half.map(|half| around(new.value - base.value, half));
        let share_interval = t.zip(variances).and_then(|(t, variances)| {
            fieller_interval((base.value, variances.0), (new.value, variances.1), 0.0, t)
        });
        EnergyChange {
            base: Some(Joules(base.value)),
            new: Some(Joules(new.value)),
            interval: interval.filter(|i| i.lo.0.is_finite() && i.hi.0.is_finite()),
            share_interval,
        }
    }

    /// Difference in joules, where both energies exist.
    pub fn difference(&self) -> Option<Joules> {
        self.base.zip(self.new).map(|(base, new)| new - base)
    }

    /// Difference as a share of the base, where the base is positive.
    pub fn share(&self) -> Option<f64> {
        let base = self.base.filter(|base| base.0 > 0.0)?;
        self.difference().map(|difference| (difference / base).max(ALL_GONE))
    }
}

/// Verdict on a change: `Increase` where both the estimate and the interval are above the limit.
pub fn judge_change(change: &EnergyChange, limit: AllowedIncrease) -> GateVerdict {
    match (change.share(), change.share_interval) {
        (Some(share), Some((lo, _))) if share > limit.0 && lo > limit.0 => GateVerdict::Increase,
        (Some(_), Some(_)) => GateVerdict::Pass,
        _ => GateVerdict::NoData,
    }
}

/// Interval of a difference as shares of a base whose own error is comparatively small.
pub fn interval_in_shares(difference: Interval, base: Joules) -> (f64, f64) {
    let share = |end: Joules| (end / base).max(ALL_GONE);
    (share(difference.lo), share(difference.hi))
}

/// Fieller's interval: the shares `r - 1` with `(new - r base)^2 <= t^2 (V_new - 2 r C + r^2
/// V_base)`, for two energies with variances `V` and covariance `C` of their errors. `None` where
/// the base is not significantly above zero: then every share is possible.
pub(super) fn fieller_interval(
    base: (f64, f64),
    new: (f64, f64),
    covariance: f64,
    t: f64,
) -> Option<(f64, f64)> {
    let ((b, vb), (n, vn)) = (base, new);
    let leading = b * b - t * t * vb;
    if b <= 0.0 || leading <= 0.0 {
        return None;
    }
    let middle = n * b - t * t * covariance;
    let root = (middle * middle - leading * (n * n - t * t * vn)).max(0.0).sqrt();
    let end = |of: f64| (of / leading - 1.0).max(ALL_GONE);
    let ends = (end(middle - root), end(middle + root));
    (ends.0.is_finite() && ends.1.is_finite()).then_some(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::uncertain_energy::ErrorSource;

    fn exact(value: f64, variance: f64) -> UncertainEnergy {
        UncertainEnergy {
            value,
            parts: Some(vec![ErrorSource { variance, freedom: f64::INFINITY }]),
        }
    }

    /// 100 +- 1 and 110 +- 1 J: 10 J +- 1.96 sqrt(2). Fieller's ends are where
    /// (110 - 100 r)^2 = 1.96^2 (1 + r^2): r = 1.0709 and 1.1300.
    #[test]
    fn intervals_of_a_difference_and_of_a_ratio() {
        let change = EnergyChange::of(&exact(100.0, 1.0), &exact(110.0, 1.0));
        let interval = change.interval.unwrap();
        assert!((interval.lo.0 - (10.0 - 1.96 * 2f64.sqrt())).abs() < 1e-3);
        let (lo, hi) = change.share_interval.unwrap();
        for r in [1.0 + lo, 1.0 + hi] {
            let left = (110.0 - 100.0 * r).powi(2);
            assert!((left - 1.959_963_985f64.powi(2) * (1.0 + r * r)).abs() < 1e-6, "{r}");
        }
        assert!((change.share().unwrap() - 0.1).abs() < 1e-12);
    }

    #[test]
    fn the_gate_needs_the_increase_and_the_interval() {
        let base = exact(100.0, 1.0);
        let verdict =
            |new, limit| judge_change(&EnergyChange::of(&base, &new), AllowedIncrease(limit));
        assert_eq!(verdict(exact(110.0, 1.0), 0.05), GateVerdict::Increase);
        assert_eq!(verdict(exact(110.0, 1.0), 0.08), GateVerdict::Pass, "the interval reaches 7 %");
        assert_eq!(verdict(exact(110.0, 40.0), 0.0), GateVerdict::Pass, "too unsure");
        assert_eq!(verdict(exact(90.0, 1.0), 0.0), GateVerdict::Pass);
        let once = UncertainEnergy { value: 110.0, parts: None };
        assert_eq!(verdict(once, 0.05), GateVerdict::NoData);
        assert_eq!(
            judge_change(&EnergyChange::default(), AllowedIncrease(0.0)),
            GateVerdict::NoData
        );
    }

    #[test]
    fn a_base_that_may_be_nothing_has_no_share() {
        for base in [exact(1.0, 1.0), exact(-5.0, 0.0), exact(0.0, 0.0)] {
            let change = EnergyChange::of(&base, &exact(10.0, 0.1));
            assert_eq!(change.share_interval, None);
            assert_eq!(judge_change(&change, AllowedIncrease(0.0)), GateVerdict::NoData);
            assert!(change.interval.is_some(), "joules are known");
        }
    }

    /// 10 J +- 2 fall to 1 J +- 2: by anything up to all of it, and by no more.
    #[test]
    fn nothing_falls_by_more_than_all_of_it() {
        let change = EnergyChange::of(&exact(10.0, 1.0), &exact(1.0, 1.0));
        let (lo, hi) = change.share_interval.unwrap();
        assert!(lo == ALL_GONE && hi > -0.9 && hi < 0.0, "{lo} {hi}");
        let below = EnergyChange::of(&exact(10.0, 1.0), &exact(-9.0, 0.01));
        assert_eq!(
            (below.share(), below.share_interval),
            (Some(ALL_GONE), Some((ALL_GONE, ALL_GONE)))
        );
    }

    /// Errors that both sides share leave their ratio: 10 J +- 30 % and 11 J +- 30 % are 10 % more.
    #[test]
    fn shared_errors_leave_the_ratio() {
        let (lo, hi) = fieller_interval((10.0, 9.0), (11.0, 10.89), 9.9, 2.0).unwrap();
        assert!((lo - 0.1).abs() < 1e-6 && (hi - 0.1).abs() < 1e-6, "{lo} {hi}");
        let (lo, hi) = fieller_interval((10.0, 9.0), (11.0, 10.89), 0.0, 2.0).unwrap();
        assert!(lo < -0.4 && hi > 1.5, "independent ones do not: {lo} {hi}");
    }
}

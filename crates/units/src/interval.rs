//! 95 % intervals of energies.

use crate::units::Joules;

/// 97.5 % quantile of the standard normal distribution: half the width of a 95 % interval in
/// standard deviations.
pub const NORMAL_975: f64 = 1.959_963_984_540_054;

/// A 95 % interval of an energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end, in joules.
    pub lo: Joules,
    /// Upper end, in joules.
    pub hi: Joules,
}

impl Interval {
    /// Returns the normal 95 % interval around `energy`, given its variance in J². Energy spent
    /// can't be negative, so an estimate that isn't has a lower end that isn't either.
    pub fn around(energy: Joules, variance_j2: f64) -> Interval {
        let half = NORMAL_975 * variance_j2.max(0.0).sqrt();
        let floor = if energy.0 >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
        Interval { lo: Joules((energy.0 - half).max(floor)), hi: Joules(energy.0 + half) }
    }

    /// Returns the normal 95 % interval of a difference of energies, which may be negative.
    pub fn of_difference(energy: Joules, variance_j2: f64) -> Interval {
        let half = NORMAL_975 * variance_j2.max(0.0).sqrt();
        Interval { lo: Joules(energy.0 - half), hi: Joules(energy.0 + half) }
    }

    /// Returns the interval with its upper end limited to the energy of the whole.
    pub fn at_most(self, whole: Joules) -> Interval {
        Interval { lo: self.lo, hi: Joules(self.hi.0.min(whole.0)) }
    }

    /// Returns the interval of one execution, from that of several equal ones.
    pub fn per_execution(self, executions: u64) -> Interval {
        let n = executions.max(1) as f64;
        Interval { lo: Joules(self.lo.0 / n), hi: Joules(self.hi.0 / n) }
    }

    /// Returns the interval widened by a further, independent variance, in J².
    pub fn widened(self, energy: Joules, variance_j2: f64) -> Interval {
        let more = NORMAL_975 * variance_j2.max(0.0).sqrt();
        let floor = if energy.0 >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
        let below = f64::hypot(energy.0 - self.lo.0, more);
        let above = f64::hypot(self.hi.0 - energy.0, more);
        Interval { lo: Joules((energy.0 - below).max(floor)), hi: Joules(energy.0 + above) }
    }

    /// Whether `energy` lies in the interval, ends included.
    pub fn contains(&self, energy: Joules) -> bool {
        self.lo <= energy && energy <= self.hi
    }
}

//! The core of all attribution: one energy, shared by weight.

use std::collections::BTreeMap;

/// Total against which the weights are compared: their own sum, or a capacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Capacity {
    /// Their own sum: who was active pays for all of it (PowerAPI's active time,
    /// XeMPower's unhalted cycles).
    Active,
    /// A total that idle time is part of, in the weights' unit; what is left of it is
    /// unattributed.
    Total(f64),
}

/// Energy shared among principals. The shares and the rest add up to [`Split::total_j`].
#[derive(Debug, Clone, PartialEq)]
pub struct Split<P> {
    shares: BTreeMap<P, f64>,
    unattributed_j: f64,
    total_j: f64,
}

/// Error of weights that cannot share an energy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SplitError {
    /// A weight is negative or not a number.
    #[error("weight {weight} of {principal} is not a finite number of at least 0")]
    Weight {
        /// Who has it.
        principal: String,
        /// The weight.
        weight: f64,
    },
    /// The energy is not finite.
    #[error("an energy of {0} J can't be shared")]
    Energy(f64),
    /// The weights exceed what there is of them.
    #[error("the weights add up to {sum}, more than the {capacity} there is")]
    Exceeded {
        /// Sum of the weights.
        sum: f64,
        /// The total that they are part of.
        capacity: f64,
    },
}

/// Relative rounding by which a sum of weights may exceed the capacity.
const ROUNDING: f64 = 1e-9;

impl<P: Ord + Clone> Default for Split<P> {
    fn default() -> Self {
        Self { shares: BTreeMap::new(), unattributed_j: 0.0, total_j: 0.0 }
    }
}

impl<P: Ord + Clone> Split<P> {
    /// Shares `energy_j` (joules, may be negative after idle is taken off) by `weights`
    /// (any unit, at least 0). Several weights of one principal add up. If all weights are
    /// 0, all of the energy is unattributed.
    ///
    /// # Errors
    /// A weight or the energy that is not finite, a negative weight, weights above the
    /// capacity.
    pub fn by_weight(
        energy_j: f64,
        weights: impl IntoIterator<Item = (P, f64)>,
        capacity: Capacity,
    ) -> Result<Self, SplitError>
    where
        P: std::fmt::Debug,
    {
        if !energy_j.is_finite() {
            return Err(SplitError::Energy(energy_j));
        }
        let mut merged = BTreeMap::new();
        for (principal, weight) in weights {
            if !(weight.is_finite() && weight >= 0.0) {
                let principal = format!("{principal:?}");
                return Err(SplitError::Weight { principal, weight });
            }
            *merged.entry(principal).or_insert(0.0) += weight;
        }
        let sum: f64 = merged.values().sum();
        let whole = match capacity {
            Capacity::Active => sum,
            Capacity::Total(total) if sum <= total * (1.0 + ROUNDING) => total.max(sum),
            Capacity::Total(capacity) => return Err(SplitError::Exceeded { sum, capacity }),
        };
        if whole == 0.0 {
            return Ok(Self::unattributed(energy_j));
        }
        let shares: BTreeMap<P, f64> =
            merged.into_iter().map(|(p, weight)| (p, energy_j * (weight / whole))).collect();
        // Where the weights are all there is, what rounding leaves belongs to nobody and is
        // shown as such rather than hidden.
        let unattributed_j = energy_j - shares.values().sum::<f64>();
        Ok(Self { shares, unattributed_j, total_j: energy_j })
    }

    /// Creates a split of an energy without any shares.
    #[must_use]
    pub fn unattributed(energy_j: f64) -> Self {
        Self { shares: BTreeMap::new(), unattributed_j: energy_j, total_j: energy_j }
    }

    /// Adds the shares and the total of another split.
    pub fn add(&mut self, other: &Self) {
        for (principal, energy) in &other.shares {
            *self.shares.entry(principal.clone()).or_insert(0.0) += energy;
        }
        self.unattributed_j += other.unattributed_j;
        self.total_j += other.total_j;
    }

    /// Returns the joules of each principal, in the principals' order.
    #[must_use]
    pub fn shares(&self) -> &BTreeMap<P, f64> {
        &self.shares
    }

    /// Returns the joules without a known principal.
    #[must_use]
    pub fn unattributed_j(&self) -> f64 {
        self.unattributed_j
    }

    /// Returns the joules in all, shared and unattributed.
    #[must_use]
    pub fn total_j(&self) -> f64 {
        self.total_j
    }

    /// Returns the rounding residual in joules: the total less all parts. Outputs assert that it is
    /// below 1e-9 of the parts' absolute sum.
    #[must_use]
    pub(crate) fn residual_j(&self) -> f64 {
        self.total_j - self.shares.values().sum::<f64>() - self.unattributed_j
    }

    /// Whether the parts add up to the total, within rounding.
    #[must_use]
    pub fn is_conserved(&self) -> bool {
        let scale = self.shares.values().map(|e| e.abs()).sum::<f64>();
        let scale = scale + self.unattributed_j.abs() + self.total_j.abs();
        self.residual_j().abs() <= ROUNDING * scale
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn active_weights_share_everything() {
        let split = Split::by_weight(6.0, [("a", 1.0), ("b", 1.0), ("a", 1.0)], Capacity::Active);
        let split = split.unwrap();
        assert_eq!(
            split.shares().clone().into_iter().collect::<Vec<_>>(),
            [("a", 4.0), ("b", 2.0)]
        );
        assert!(split.unattributed_j().abs() < 1e-12);
    }

    #[test]
    fn the_idle_rest_of_a_capacity_is_nobodys() {
        let split = Split::by_weight(62.69958, [("half", 0.5)], Capacity::Total(1.0)).unwrap();
        assert!((split.shares()["half"] - 31.34979).abs() < 1e-9);
        assert!((split.unattributed_j() - 31.34979).abs() < 1e-9);
    }

    #[test]
    fn zero_weights_leave_all_unattributed() {
        let split = Split::by_weight(2.0, [("a", 0.0)], Capacity::Active).unwrap();
        assert_eq!((split.shares().len(), split.unattributed_j()), (0, 2.0));
    }

    #[test]
    fn weights_that_make_no_sense_are_refused() {
        let nan = Split::by_weight(1.0, [("a", f64::NAN)], Capacity::Active).unwrap_err();
        assert!(nan.to_string().contains("weight NaN"));
        assert!(Split::by_weight(1.0, [("a", -1.0)], Capacity::Active).is_err());
        assert!(Split::by_weight(f64::INFINITY, [("a", 1.0)], Capacity::Active).is_err());
        let more = Split::by_weight(1.0, [("a", 3.0)], Capacity::Total(2.0)).unwrap_err();
        assert_eq!(more.to_string(), "the weights add up to 3, more than the 2 there is");
    }

    proptest! {
        #[test]
        fn parts_add_up(
            energies in proptest::collection::vec(-1e3..1e6_f64, 1..20),
            weights in proptest::collection::vec((0..5_u8, 0.0..1e12_f64), 0..20),
        ) {
            let mut sum = Split::default();
            for energy in energies {
                let split = Split::by_weight(energy, weights.iter().copied(), Capacity::Active);
                sum.add(&split.unwrap());
            }
            prop_assert!(sum.is_conserved());
        }
    }
}

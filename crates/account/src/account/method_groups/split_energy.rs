//! Exact division of an energy by weights, and rescaling of leaves to a given energy.

use crate::account::cost::IndexedModel;
use crate::account::entry::Leaf;
use crate::exact::Femtojoules;
use crate::units::Joules;

/// Sets the sum of the leaves `own` to an energy, in proportion to their energies.
pub(super) fn rescale_leaves(leaves: &mut [Leaf<'_>], own: &[usize], energy: Femtojoules) {
    let parts = split_energy(energy, &weights(leaves, own));
    own.iter().zip(parts).for_each(|(leaf, energy)| leaves[*leaf].set_energy(energy));
}

/// Weights of leaves: their energies, or executions where these are all zero.
pub(super) fn weights(leaves: &[Leaf<'_>], of: &[usize]) -> Vec<f64> {
    let by_costs: Vec<f64> =
        of.iter().map(|leaf| leaves[*leaf].energy.joules().0.max(0.0)).collect();
    let by_runs = || of.iter().map(|leaf| leaves[*leaf].instructions() as f64).collect();
    if by_costs.iter().sum::<f64>() > 0.0 { by_costs } else { by_runs() }
}

/// Parts of an energy by weights that add up exactly.
pub(super) fn split_energy(energy: Femtojoules, weights: &[f64]) -> Vec<Femtojoules> {
    let all: f64 = weights.iter().sum();
    let (mut sum, mut before) = (0.0, Femtojoules::ZERO);
    let last = weights.len().saturating_sub(1);
    let part = |(at, weight): (usize, &f64)| {
        sum += weight;
        let share = if at == last || all <= 0.0 { 1.0 } else { sum / all };
        let now = match share == 1.0 {
            true => energy,
            false => Femtojoules((energy.0 as f64 * share).round() as i128),
        };
        let step = now - before;
        before = now;
        step
    };
    weights.iter().enumerate().map(part).collect()
}

impl Leaf<'_> {
    /// Prices the leaf's counts by other costs.
    pub(super) fn reprice(&mut self, costs: &IndexedModel<'_>) {
        let Some(cost) = self.cost else { return };
        let (before, now) = (self.energy.joules().0, costs.cost(cost).0 * self.weighted);
        self.context_error_j *= if before > 0.0 { now / before } else { 1.0 };
        self.energy = Femtojoules::from_joules(Joules(now));
    }

    /// Sets the leaf's energy and scales its counts, so that they still yield that energy.
    pub(super) fn set_energy(&mut self, energy: Femtojoules) {
        let before = self.energy.joules().0;
        let factor = if before > 0.0 { energy.joules().0 / before } else { 1.0 };
        self.weighted *= factor;
        self.context_error_j *= factor;
        self.energy = energy;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_exact() {
        let energy = Femtojoules(1_000_003);
        for weights in [vec![1.0, 1.0, 1.0], vec![0.0, 0.0], vec![1e-30, 1e30, 3.0]] {
            assert_eq!(split_energy(energy, &weights).into_iter().sum::<Femtojoules>(), energy);
        }
    }
}

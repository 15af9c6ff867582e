//! Distribution of a method's energy over its blocks. Block effects are independent, so a
//! method's deviation from its count-based estimate falls mostly on its large blocks: each block
//! takes a part by the variance of its error (best linear unbiased predictor,
//! `docs/internals/method-estimates.md`).

use std::collections::BTreeMap;

use crate::account::entry::{Leaf, LeafTotals};
use crate::blocks::BlockId;
use crate::exact::Femtojoules;
use crate::root::root_of_falling;

use super::split_energy::{rescale_leaves, split_energy};

/// Distributes a method's energy over its leaves, block by block. `own` are the method's leaves,
/// `level` the factor by which all count-based estimates are too low.
pub(super) fn share_among_blocks(
    leaves: &mut [Leaf<'_>],
    own: &[usize],
    energy: Femtojoules,
    level: f64,
) {
    let mut blocks = BTreeMap::<BlockId, (LeafTotals, Vec<usize>)>::new();
    for leaf in own {
        let (portion, of_block) = blocks.entry(leaves[*leaf].block.id).or_default();
        *portion += LeafTotals::from(&leaves[*leaf]);
        of_block.push(*leaf);
    }
    let once_j =
        blocks.values().map(|(portion, _)| *portion).sum::<LeafTotals>().mean_execution_j();
    let said = |(portion, _): &(LeafTotals, Vec<usize>)| CountBasedEstimate {
        energy_j: level * portion.energy.joules().0.max(0.0),
        variance: portion.typical_j(once_j).powi(2),
    };
    let said: Vec<CountBasedEstimate> = blocks.values().map(said).collect();
    let energies = block_energies(&said, energy.joules().0);
    for ((_, of_block), energy) in blocks.values().zip(split_energy(energy, &energies)) {
        rescale_leaves(leaves, of_block, energy);
    }
}

/// Count-based estimate of one block's energy, with its variance.
#[derive(Debug, Clone, Copy)]
struct CountBasedEstimate {
    energy_j: f64,
    /// Variance of the block effect, in a unit common to all blocks.
    variance: f64,
}

impl CountBasedEstimate {
    /// The energy plus `by` times its variance.
    fn raised(self, by: f64) -> f64 {
        self.energy_j + by * self.variance
    }

    /// The energy less `by` times its variance where that is small against it; a block with
    /// positive energy keeps some.
    fn lowered(self, by: f64) -> f64 {
        let Self { energy_j, variance } = self;
        if energy_j > 0.0 { energy_j / (1.0 + by * variance / energy_j) } else { 0.0 }
    }
}

/// Energies of the blocks in joules that add up to the method's `energy_j`.
fn block_energies(said: &[CountBasedEstimate], energy_j: f64) -> Vec<f64> {
    let sum = |of: &dyn Fn(&CountBasedEstimate) -> f64| said.iter().map(of).sum::<f64>();
    let missing = energy_j - sum(&|block| block.energy_j);
    if missing < 0.0 {
        let excess = |by: f64| sum(&|block| block.lowered(by)) - energy_j;
        // No block is left more than its energy's square by so much of its variance.
        let spends = said.iter().filter(|block| block.energy_j > 0.0);
        let most: f64 = spends.map(|block| block.energy_j.powi(2) / block.variance).sum();
        let by = root_of_falling(excess, 0.0, most / energy_j);
        return said.iter().map(|block| block.lowered(by)).collect();
    }
    let variance = sum(&|block| block.variance);
    let by = if variance > 0.0 { missing / variance } else { 0.0 };
    said.iter().map(|block| block.raised(by)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn said(blocks: &[(f64, f64)]) -> Vec<CountBasedEstimate> {
        blocks
            .iter()
            .map(|&(energy_j, variance)| CountBasedEstimate { energy_j, variance })
            .collect()
    }

    fn close(found: &[f64], expected: &[f64]) {
        let is_close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9 * b.abs().max(1e-9);
        assert!(found.iter().zip(expected).all(is_close), "{found:?} {expected:?}");
    }

    /// Of 5 J missing the block of four times the variance has 4.
    #[test]
    fn what_is_missing_goes_by_variance() {
        close(&block_energies(&said(&[(2.0, 4.0), (1.0, 1.0)]), 8.0), &[6.0, 2.0]);
        close(&block_energies(&said(&[(2.0, 4.0), (1.0, 1.0)]), 3.0), &[2.0, 1.0]);
        close(&block_energies(&said(&[(0.0, 4.0), (1.0, 1.0)]), 2.0), &[0.8, 1.2]);
    }

    /// 2/(1 + 2x) + 1/(1 + x) = 1.5, that is 3x^2 + 0.5x - 1.5 = 0.
    #[test]
    fn what_is_too_much_is_taken_by_variance_and_leaves_something() {
        let found = block_energies(&said(&[(2.0, 4.0), (1.0, 1.0)]), 1.5);
        let x = (-0.5 + (0.25f64 + 18.0).sqrt()) / 6.0;
        close(&found, &[2.0 / (1.0 + 2.0 * x), 1.0 / (1.0 + x)]);
        let little = block_energies(&said(&[(5.0, 25.0), (4.0, 16.0), (1.0, 1.0)]), 0.1);
        assert!(little.iter().all(|energy| *energy > 0.0), "{little:?}");
    }

    #[test]
    fn blocks_of_nothing_do_no_harm() {
        assert_eq!(block_energies(&said(&[(0.0, 0.0)]), 1.0), [0.0]);
        assert_eq!(block_energies(&said(&[(1.0, 1.0)]), 0.0).len(), 1);
        assert!(block_energies(&[], 1.0).is_empty());
    }

    proptest! {
        #[test]
        fn blocks_add_up(
            blocks in prop::collection::vec((1e-9..1e3f64, 1e-9..1e6f64), 1..20),
            part in 1e-3..1e3f64,
        ) {
            let said = said(&blocks);
            let energy = part * blocks.iter().map(|block| block.0).sum::<f64>();
            let found = block_energies(&said, energy);
            prop_assert!((found.iter().sum::<f64>() / energy - 1.0).abs() < 1e-6);
            prop_assert!(found.iter().all(|energy| *energy >= 0.0));
        }
    }
}

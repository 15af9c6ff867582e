//! A method's energy among its blocks. Places are off one by one, so what a method has beyond
//! its words, or less, is mostly of its large blocks: it goes by the variances of places' errors
//! (the best linear unbiased predictor of each, `docs/method-estimates.md`).

use std::collections::BTreeMap;

use crate::account::entry::{Leaf, Portion};
use crate::blocks::BlockId;
use crate::exact::Femtojoules;
use crate::root::root_of_falling;

use super::parts::{move_to, parts};

/// Gives the leaves of a method their parts of its energy. `level` is what the words are off by
/// altogether.
pub(super) fn divide(leaves: &mut [Leaf<'_>], own: &[usize], energy: Femtojoules, level: f64) {
    let mut blocks = BTreeMap::<BlockId, (Portion, Vec<usize>)>::new();
    for leaf in own {
        let (portion, of_block) = blocks.entry(leaves[*leaf].block.id).or_default();
        *portion += Portion::from(&leaves[*leaf]);
        of_block.push(*leaf);
    }
    let once_j = blocks.values().map(|(portion, _)| *portion).sum::<Portion>().once_j();
    let said = |(portion, _): &(Portion, Vec<usize>)| CountBasedEstimate {
        energy_j: level * portion.energy.joules().0.max(0.0),
        variance: portion.usual_j(once_j).powi(2),
    };
    let said: Vec<CountBasedEstimate> = blocks.values().map(said).collect();
    let energies = adding_up(&said, energy.joules().0);
    for ((_, of_block), energy) in blocks.values().zip(parts(energy, &energies)) {
        move_to(leaves, of_block, energy);
    }
}

/// What the words say of a block.
#[derive(Debug, Clone, Copy)]
struct CountBasedEstimate {
    energy_j: f64,
    /// Variance of its place's error, in the unit of the others'.
    variance: f64,
}

impl CountBasedEstimate {
    /// With so much of its variance more.
    fn raised(self, by: f64) -> f64 {
        self.energy_j + by * self.variance
    }

    /// With so much of its variance less, as long as that is little; what spends something is
    /// never left nothing.
    fn lowered(self, by: f64) -> f64 {
        let Self { energy_j, variance } = self;
        if energy_j > 0.0 { energy_j / (1.0 + by * variance / energy_j) } else { 0.0 }
    }
}

/// The blocks' energies in joules, which are to add up to the method's.
fn adding_up(said: &[CountBasedEstimate], energy_j: f64) -> Vec<f64> {
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
        close(&adding_up(&said(&[(2.0, 4.0), (1.0, 1.0)]), 8.0), &[6.0, 2.0]);
        close(&adding_up(&said(&[(2.0, 4.0), (1.0, 1.0)]), 3.0), &[2.0, 1.0]);
        close(&adding_up(&said(&[(0.0, 4.0), (1.0, 1.0)]), 2.0), &[0.8, 1.2]);
    }

    /// 2/(1 + 2x) + 1/(1 + x) = 1.5, that is 3x^2 + 0.5x - 1.5 = 0.
    #[test]
    fn what_is_too_much_is_taken_by_variance_and_leaves_something() {
        let found = adding_up(&said(&[(2.0, 4.0), (1.0, 1.0)]), 1.5);
        let x = (-0.5 + (0.25f64 + 18.0).sqrt()) / 6.0;
        close(&found, &[2.0 / (1.0 + 2.0 * x), 1.0 / (1.0 + x)]);
        let little = adding_up(&said(&[(5.0, 25.0), (4.0, 16.0), (1.0, 1.0)]), 0.1);
        assert!(little.iter().all(|energy| *energy > 0.0), "{little:?}");
    }

    #[test]
    fn blocks_of_nothing_do_no_harm() {
        assert_eq!(adding_up(&said(&[(0.0, 0.0)]), 1.0), [0.0]);
        assert_eq!(adding_up(&said(&[(1.0, 1.0)]), 0.0).len(), 1);
        assert!(adding_up(&[], 1.0).is_empty());
    }

    proptest! {
        #[test]
        fn blocks_add_up(
            blocks in prop::collection::vec((1e-9..1e3f64, 1e-9..1e6f64), 1..20),
            part in 1e-3..1e3f64,
        ) {
            let said = said(&blocks);
            let energy = part * blocks.iter().map(|block| block.0).sum::<f64>();
            let found = adding_up(&said, energy);
            prop_assert!((found.iter().sum::<f64>() / energy - 1.0).abs() < 1e-6);
            prop_assert!(found.iter().all(|energy| *energy >= 0.0));
        }
    }
}

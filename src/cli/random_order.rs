//! The random order of an experiment: repetitions as blocks.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Repetition, from 1, and number of each run. Each repetition has every one of `count` runs once,
/// in a random order of its own: what drifts (the machine's temperature) does so for all alike.
pub fn random_blocks(count: usize, repeats: usize, seed: u64) -> Vec<(usize, usize)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut order = Vec::new();
    for repetition in 1..=repeats {
        let mut block: Vec<usize> = (0..count).collect();
        block.shuffle(&mut rng);
        order.extend(block.into_iter().map(|number| (repetition, number)));
    }
    order
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_block_has_every_run_once_and_a_seed_gives_one_order() {
        let order = random_blocks(5, 8, 1);
        assert_eq!(order, random_blocks(5, 8, 1));
        assert_ne!(order, random_blocks(5, 8, 2));
        let blocks: Vec<&[(usize, usize)]> = order.chunks(5).collect();
        for (block, repetition) in blocks.iter().zip(1..) {
            assert!(block.iter().all(|run| run.0 == repetition));
            assert_eq!(block.iter().map(|run| run.1).collect::<BTreeSet<_>>().len(), 5);
        }
        let numbers = |block: &[(usize, usize)]| block.iter().map(|run| run.1).collect::<Vec<_>>();
        assert!(blocks.iter().any(|block| numbers(block) != numbers(blocks[0])));
    }
}

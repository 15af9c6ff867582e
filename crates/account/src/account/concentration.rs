//! How much of a scenario's energy few operations and few blocks have (Li and Gallagher: 10 of
//! 187 operations 71.3 %, the next 20 26.1 %; 11 of 108 blocks nearly half).

use std::collections::BTreeSet;

use super::accounts::{Accounts, BlockAccount, OperationAccount};
use super::entry::{Bundle, Leaf};
use super::pricing::Pricing;
use crate::blocks::BlockId;
use crate::exact::{Femtojoules, share};
use crate::interval::Interval;
use crate::operations::Feature;
use crate::units::Joules;

/// Ranges of ranks whose operations are summed, from 1: those of the paper's Figure 3.
const RANKS: [[usize; 2]; 2] = [[1, 10], [11, 30]];

/// Shares of the costliest operations and blocks in the energy of a scenario.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Concentration {
    /// Shares of operations by range of ranks; an empty range is left out.
    pub operations: Vec<RankedOperations>,
    /// Fewest blocks that have half of the energy of all blocks; none where blocks spend nothing.
    pub half: Option<BlocksOfHalf>,
}

/// Operations of neighbouring ranks by energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedOperations {
    /// The first rank, from 1.
    pub first: usize,
    /// The last rank.
    pub last: usize,
    /// Share of the energy above idle.
    pub share: EnergyShare,
}

/// Fewest blocks that have half of the energy of all blocks, and their share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlocksOfHalf {
    /// Number of these blocks.
    pub blocks: usize,
    /// Number of blocks that ran.
    pub of: usize,
    /// Share of the energy of all blocks.
    pub share: EnergyShare,
}

/// Share of an energy, 0..1, with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyShare {
    /// The estimate.
    pub part: f64,
    /// 95 % interval from the errors of the part, with the whole taken as exact; `None` where the
    /// part has none.
    pub interval: Option<[f64; 2]>,
}

impl EnergyShare {
    fn of(bundle: &Bundle<'_>, whole: Femtojoules, pricing: &Pricing<'_, '_>) -> Option<Self> {
        let part = share(bundle.energy, whole)?;
        let whole = whole.joules();
        let interval = pricing.interval(bundle);
        Some(EnergyShare {
            part,
            interval: interval.map(|interval| interval_shares(interval, whole)),
        })
    }
}

fn interval_shares(interval: Interval, whole: Joules) -> [f64; 2] {
    [interval.lo.0 / whole.0, interval.hi.0 / whole.0]
}

/// Shares of the costliest operations and blocks, both given in descending order of energy.
pub(super) fn concentration(
    leaves: &[Leaf<'_>],
    (operations, blocks): (&[OperationAccount], &[BlockAccount]),
    pricing: &Pricing<'_, '_>,
) -> Concentration {
    let of_ranks = |[first, last]: [usize; 2]| {
        let ranked = operations.get(first - 1..last.min(operations.len()))?;
        let names: BTreeSet<&Feature> = ranked.iter().map(|one| &one.entry.key).collect();
        let bundle = bundle_of(leaves, |leaf| names.contains(&leaf.operation.operation));
        let share = EnergyShare::of(&bundle, pricing.above_idle, pricing)?;
        (!ranked.is_empty()).then_some(RankedOperations {
            first,
            last: first - 1 + ranked.len(),
            share,
        })
    };
    Concentration {
        operations: RANKS.into_iter().filter_map(of_ranks).collect(),
        half: blocks_of_half(leaves, blocks, pricing),
    }
}

fn blocks_of_half(
    leaves: &[Leaf<'_>],
    blocks: &[BlockAccount],
    pricing: &Pricing<'_, '_>,
) -> Option<BlocksOfHalf> {
    let whole = blocks.iter().fold(Femtojoules::ZERO, |sum, block| sum + block.entry.energy);
    let mut sum = Femtojoules::ZERO;
    let reaches_half = |block: &BlockAccount| {
        sum += block.entry.energy;
        share(sum, whole).is_some_and(|part| part >= 0.5)
    };
    let count = 1 + blocks.iter().position(reaches_half)?;
    let ids: BTreeSet<BlockId> = blocks[..count].iter().map(|block| block.entry.key).collect();
    let bundle = bundle_of(leaves, |leaf| ids.contains(&leaf.block.id));
    let share = EnergyShare::of(&bundle, whole, pricing)?;
    Some(BlocksOfHalf { blocks: count, of: blocks.len(), share })
}

fn bundle_of<'a>(leaves: &[Leaf<'a>], is_in: impl Fn(&Leaf<'a>) -> bool) -> Bundle<'a> {
    let mut bundle = Bundle::default();
    leaves.iter().filter(|leaf| is_in(leaf)).for_each(|leaf| bundle.add(leaf));
    bundle
}

impl Accounts {
    /// For each operation in descending order of energy, the share of the energy above idle of
    /// all operations up to it. Empty where that energy is not positive.
    pub fn cumulative_shares(&self) -> Vec<f64> {
        let whole = self.ledger.above_idle();
        let mut sum = Femtojoules::ZERO;
        let up_to = |operation: &OperationAccount| {
            sum += operation.entry.energy;
            share(sum, whole)
        };
        self.operations.iter().map_while(up_to).collect()
    }

    /// For each operation in descending order of energy, its rank by the cost of one execution,
    /// from 1; none for one without a cost.
    pub fn ranks_by_cost(&self) -> Vec<Option<usize>> {
        let mut order: Vec<usize> = (0..self.operations.len()).collect();
        let cost = |at: &usize| self.operations[*at].cost;
        order.retain(|at| cost(at).is_some());
        let joules = |at: &usize| cost(at).map_or(0.0, |cost| cost.0);
        order.sort_by(|a, b| joules(b).total_cmp(&joules(a)));
        let mut ranks = vec![None; self.operations.len()];
        for (rank, at) in order.into_iter().enumerate() {
            ranks[at] = Some(rank + 1);
        }
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{AccountInput, account, sample};

    #[test]
    fn shares_of_ranks_add_up_to_the_cumulative_ones() {
        let scenario = sample::program_1();
        let accounts = account(&scenario.scenario());
        let curve = accounts.cumulative_shares();
        assert!(curve.windows(2).all(|pair| pair[0] <= pair[1]));
        let explained =
            accounts.explained_energy().0 as f64 / accounts.ledger.above_idle().0 as f64;
        assert!((curve.last().unwrap() - explained).abs() < 1e-12);
        let ranked = &accounts.concentration.operations;
        assert_eq!((ranked[0].first, ranked[0].last), (1, curve.len().min(10)));
        assert!((ranked[0].share.part - curve[ranked[0].last - 1]).abs() < 1e-12);
        let nothing =
            account(&AccountInput { executions: &Default::default(), ..scenario.scenario() });
        assert_eq!(nothing.concentration, Concentration::default());
    }

    /// What no sum of the sample's own would show: the interval of the whole is that of the row
    /// of the ledger, since the ten ranks have all operations.
    #[test]
    fn half_of_the_energy_is_in_the_fewest_blocks_that_have_it() {
        let scenario = sample::program_1();
        let accounts = account(&scenario.scenario());
        let half = accounts.concentration.half.unwrap();
        let energies: Vec<f64> =
            accounts.blocks.iter().map(|block| block.entry.joules().0).collect();
        let whole: f64 = energies.iter().sum();
        let part = |blocks: usize| energies[..blocks].iter().sum::<f64>() / whole;
        assert_eq!(half.of, energies.len());
        assert!(part(half.blocks) >= 0.5 && part(half.blocks - 1) < 0.5);
        assert!((half.share.part - part(half.blocks)).abs() < 1e-9);
        let [lo, hi] = half.share.interval.unwrap();
        assert!(lo < half.share.part && half.share.part < hi);
    }

    #[test]
    fn ranks_by_cost_are_those_of_the_costs() {
        let accounts = account(&sample::program_1().scenario());
        let ranks = accounts.ranks_by_cost();
        let mut by_rank: Vec<(usize, f64)> = ranks
            .iter()
            .zip(&accounts.operations)
            .filter_map(|(rank, operation)| Some(((*rank)?, operation.cost?.0)))
            .collect();
        by_rank.sort_by_key(|(rank, _)| *rank);
        assert!(by_rank.len() > 2);
        assert!(by_rank.iter().enumerate().all(|(at, (rank, _))| at + 1 == *rank));
        assert!(by_rank.windows(2).all(|pair| pair[0].1 >= pair[1].1));
    }
}

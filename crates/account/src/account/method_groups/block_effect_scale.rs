//! Scale of the block effect: the energy that block effects are relative to.

use std::collections::BTreeMap;

use crate::account::entry::{Leaf, LeafTotals};
use crate::blocks::BlockId;

pub(super) fn root_sum_of_squares(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}

/// Scale of the block effect of leaves in joules: root sum of squares over their blocks.
/// `once_j` is the mean energy of an execution of any operation.
pub(super) fn block_effect_scale_j<'l>(
    leaves: impl Iterator<Item = &'l Leaf<'l>>,
    once_j: f64,
) -> f64 {
    let mut blocks = BTreeMap::<BlockId, LeafTotals>::new();
    for leaf in leaves {
        *blocks.entry(leaf.block.id).or_default() += LeafTotals::from(leaf);
    }
    root_sum_of_squares(blocks.values().map(|block| block.typical_j(once_j)))
}

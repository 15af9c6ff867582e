//! What the effects of places are relative to.

use std::collections::BTreeMap;

use crate::account::entry::{Leaf, Portion};
use crate::blocks::BlockId;

pub(super) fn root_sum_of_squares(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}

/// What the place effects of leaves are relative to, in joules, where an execution of any
/// operation spends so much on average: their blocks are off one by one.
pub(super) fn place_scale<'l>(leaves: impl Iterator<Item = &'l Leaf<'l>>, once_j: f64) -> f64 {
    let mut blocks = BTreeMap::<BlockId, Portion>::new();
    for leaf in leaves {
        *blocks.entry(leaf.block.id).or_default() += Portion::from(leaf);
    }
    root_sum_of_squares(blocks.values().map(|block| block.usual_j(once_j)))
}

//! Operations on sets of blocks: union, partition, restriction, division.

use std::collections::BTreeSet;

use crate::blocks::BlockId;

/// The union of groups of blocks, sorted.
pub(super) fn union_of(groups: &[Vec<BlockId>]) -> Vec<BlockId> {
    let blocks: BTreeSet<BlockId> = groups.iter().flatten().copied().collect();
    blocks.into_iter().collect()
}

/// The suspects in a set and the rest of the set; none if either is empty.
pub(super) fn split_off_suspects(
    set: &[BlockId],
    suspects: &[BlockId],
) -> Option<(Vec<BlockId>, Vec<BlockId>)> {
    let (accused, rest): (Vec<_>, Vec<_>) = set.iter().partition(|block| suspects.contains(block));
    (!accused.is_empty() && !rest.is_empty()).then_some((accused, rest))
}

/// The groups with only the blocks in `rest`, without empty groups.
pub(super) fn restrict_to(groups: &[Vec<BlockId>], rest: &[BlockId]) -> Vec<Vec<BlockId>> {
    let kept = groups.iter().map(|group| {
        group.iter().copied().filter(|block| rest.contains(block)).collect::<Vec<_>>()
    });
    kept.filter(|group| !group.is_empty()).collect()
}

/// Divides items into at most `parts` runs of neighbours.
pub(super) fn split<T: Clone>(items: &[T], parts: usize) -> Vec<Vec<T>> {
    items.chunks(items.len().div_ceil(parts).max(1)).map(<[T]>::to_vec).collect()
}

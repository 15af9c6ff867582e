//! Sets of blocks: joined, parted, split.

use std::collections::BTreeSet;

use crate::blocks::BlockId;

/// The blocks of joined groups, sorted.
pub(super) fn union_of(groups: &[Vec<BlockId>]) -> Vec<BlockId> {
    let blocks: BTreeSet<BlockId> = groups.iter().flatten().copied().collect();
    blocks.into_iter().collect()
}

/// A set's suspects and the rest of it; none unless both are there.
pub(super) fn parted(
    set: &[BlockId],
    suspects: &[BlockId],
) -> Option<(Vec<BlockId>, Vec<BlockId>)> {
    let (accused, rest): (Vec<_>, Vec<_>) = set.iter().partition(|block| suspects.contains(block));
    (!accused.is_empty() && !rest.is_empty()).then_some((accused, rest))
}

/// The groups with no blocks but these, empty ones left out.
pub(super) fn without(groups: &[Vec<BlockId>], rest: &[BlockId]) -> Vec<Vec<BlockId>> {
    let kept = groups.iter().map(|group| {
        group.iter().copied().filter(|block| rest.contains(block)).collect::<Vec<_>>()
    });
    kept.filter(|group| !group.is_empty()).collect()
}

/// At most `parts` runs of neighbours.
pub(super) fn split<T: Clone>(items: &[T], parts: usize) -> Vec<Vec<T>> {
    items.chunks(items.len().div_ceil(parts).max(1)).map(<[T]>::to_vec).collect()
}

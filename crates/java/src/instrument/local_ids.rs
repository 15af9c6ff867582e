//! Conversion of block ids to indices into one file.

use std::collections::BTreeSet;

use crate::blocks::{BlockId, FileBlocks};

/// Returns the ids that lie in a file whose blocks begin at id `first`, as indices into it.
pub(super) fn local_ids(
    ids: &BTreeSet<BlockId>,
    first: usize,
    blocks: &FileBlocks,
) -> BTreeSet<usize> {
    let end = first + blocks.blocks.len();
    let ids = ids.iter().map(|id| id.0 as usize).filter(|id| (first..end).contains(id));
    ids.map(|id| id - first).collect()
}

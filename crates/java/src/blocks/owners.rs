//! Which block a part belongs to, looked up by the part's root.

use crate::java::NodeId;
use crate::java::syntax_tree::KeptNodes;

/// Root nodes of parts, and the indices of the blocks that own them.
#[derive(Debug, Clone, Default)]
pub struct PartOwners {
    /// Ascending by node, once all are there.
    owners: Vec<(NodeId, u32)>,
}

impl PartOwners {
    /// Adds a root. All have to be there, and in order, before one is looked up.
    pub(super) fn add(&mut self, node: NodeId, block: usize) {
        let block = u32::try_from(block).expect("fewer than 2^32 blocks");
        self.owners.push((node, block));
    }

    /// Puts the roots in order. Of several owners the last one added remains.
    pub(super) fn put_in_order(&mut self) {
        self.owners.sort_by_key(|(node, _)| *node);
        self.owners.dedup_by(|next, before| {
            let is_same = next.0 == before.0;
            if is_same {
                *before = *next;
            }
            is_same
        });
    }

    /// The block that owns the part with this root.
    pub fn get(&self, node: NodeId) -> Option<usize> {
        let index = self.owners.binary_search_by_key(&node, |(node, _)| *node).ok()?;
        Some(self.owners[index].1 as usize)
    }

    /// All roots in source order, each with its block.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, u32)> + '_ {
        self.owners.iter().copied()
    }

    /// The same with the nodes of a part of the tree, as far as that has them.
    pub(super) fn in_part(&self, kept: &KeptNodes) -> PartOwners {
        let owners = self.iter().filter_map(|(node, block)| Some((kept.get(node)?, block)));
        let mut owners: Vec<(NodeId, u32)> = owners.collect();
        owners.shrink_to_fit();
        PartOwners { owners }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_found_whatever_the_order() {
        let mut owners = PartOwners::default();
        for (node, block) in [(7, 1), (3, 0), (7, 2), (5, 4)] {
            owners.add(NodeId(node), block);
        }
        owners.put_in_order();
        let found = [3, 4, 5, 7].map(|node| owners.get(NodeId(node)));
        assert_eq!(found, [Some(0), None, Some(4), Some(2)]);
        assert_eq!(owners.iter().count(), 3);
    }
}

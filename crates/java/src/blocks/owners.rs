//! Owning block of each part, looked up by the part's root node.

use crate::java::NodeId;
use crate::java::syntax_tree::PartNodes;

/// Map from the root nodes of parts to the indices of the blocks that own them.
#[derive(Debug, Clone, Default)]
pub struct PartOwners {
    /// Pairs of root and block, ascending by node once sorted.
    owners: Vec<(NodeId, u32)>,
}

impl PartOwners {
    /// Adds a root; all must be added and sorted before the first look-up.
    pub(super) fn add(&mut self, node: NodeId, block: usize) {
        let block = u32::try_from(block).expect("fewer than 2^32 blocks");
        self.owners.push((node, block));
    }

    /// Sorts the roots. Of several owners of one root the last one added remains.
    pub(super) fn sort(&mut self) {
        self.owners.sort_by_key(|(node, _)| *node);
        self.owners.dedup_by(|next, before| {
            let is_same = next.0 == before.0;
            if is_same {
                *before = *next;
            }
            is_same
        });
    }

    /// Returns the index of the block that owns the part with this root.
    pub fn get(&self, node: NodeId) -> Option<usize> {
        let index = self.owners.binary_search_by_key(&node, |(node, _)| *node).ok()?;
        Some(self.owners[index].1 as usize)
    }

    /// Iterates over all roots in source order, each with the index of its block.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, u32)> + '_ {
        self.owners.iter().copied()
    }

    /// Converts the roots to the nodes of a part of the tree, leaving out those it lacks.
    pub(super) fn in_part(&self, kept: &PartNodes) -> PartOwners {
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
        owners.sort();
        let found = [3, 4, 5, 7].map(|node| owners.get(NodeId(node)));
        assert_eq!(found, [Some(0), None, Some(4), Some(2)]);
        assert_eq!(owners.iter().count(), 3);
    }
}

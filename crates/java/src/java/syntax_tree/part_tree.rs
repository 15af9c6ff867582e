//! Partial copies of a tree, with the nodes of the whole that they keep.

use super::{NONE, NodeId, SyntaxEntry, SyntaxTree};

/// Decision on what a partial tree keeps of a node and of those below it.
pub(super) enum NodeShare {
    /// The node; a decision of its own for each child.
    Node,
    /// The node without its descendants.
    NodeAlone,
    /// Not the node, but in its place its children, each by its own decision.
    Below,
    /// Neither the node nor its descendants.
    Nothing,
}

/// Nodes of a tree that a partial copy keeps, for translating ids.
#[derive(Debug)]
pub struct PartNodes {
    /// Ids in the whole, ascending; their indices are the ids in the part.
    ids: Vec<NodeId>,
}

impl PartNodes {
    /// Returns the id in the part of a node of the whole, if the part has it.
    pub fn get(&self, node: NodeId) -> Option<NodeId> {
        let index = self.ids.binary_search(&node).ok()?;
        Some(NodeId(index as u32))
    }

    /// Returns the id in the part of the nearest node that the part has, of `node` and its
    /// ancestors in the whole.
    pub fn nearest(&self, whole: &SyntaxTree, node: NodeId) -> NodeId {
        let mut around = std::iter::successors(Some(node), |at| whole.parent(*at));
        around.find_map(|at| self.get(at)).expect("a part has the root")
    }

    /// Returns the nodes' ids in the whole, in the order of those in the part.
    pub(super) fn ids(&self) -> &[NodeId] {
        &self.ids
    }
}

impl SyntaxTree {
    /// Copies the nodes that `share` selects, without recursion, in one pass. The root is one.
    pub(super) fn part(
        &self,
        mut share: impl FnMut(NodeId) -> NodeShare,
    ) -> (SyntaxTree, PartNodes) {
        // More than it takes; what is too much goes back.
        let mut entries: Vec<SyntaxEntry> = Vec::with_capacity(self.len());
        let mut ids = Vec::with_capacity(self.len());
        // The nodes around the current one that are there: which node follows all below, and
        // their ids in the part.
        let mut around: Vec<(u32, u32)> = Vec::new();
        let mut at = 0;
        while at < self.len() as u32 {
            while let Some((_, ended)) = around.pop_if(|(after, _)| *after <= at) {
                entries[ended as usize].after = entries.len() as u32;
            }
            let (node, id) = (NodeId(at), entries.len() as u32);
            let entry = self.entry(node);
            let share = if at == 0 { NodeShare::Node } else { share(node) };
            if matches!(share, NodeShare::Node | NodeShare::NodeAlone) {
                let parent = around.last().map_or(NONE, |(_, id)| *id);
                entries.push(SyntaxEntry { parent, after: id + 1, ..entry.clone() });
                ids.push(node);
            }
            if matches!(share, NodeShare::Node) && at + 1 < entry.after {
                around.push((entry.after, id));
            }
            at = match share {
                NodeShare::Node | NodeShare::Below => at + 1,
                NodeShare::NodeAlone | NodeShare::Nothing => entry.after,
            };
        }
        for (_, ended) in around {
            entries[ended as usize].after = entries.len() as u32;
        }
        entries.shrink_to_fit();
        (SyntaxTree { entries }, PartNodes { ids })
    }
}

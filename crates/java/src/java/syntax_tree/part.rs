//! A tree that has some of another one's nodes.

use super::{NONE, NodeId, SyntaxEntry, SyntaxTree};

/// What a part of a tree has of a node and of those below it.
pub(super) enum Share {
    /// The node; those below have shares of their own.
    Node,
    /// The node, and nothing that is below.
    NodeAlone,
    /// Not the node, but in its place those below by their own shares.
    Below,
    /// Nothing.
    Nothing,
}

/// The nodes of a tree that a part of it has.
#[derive(Debug)]
pub struct KeptNodes {
    /// Their ids, ascending. Their indices are the ids in the part.
    ids: Vec<NodeId>,
}

impl KeptNodes {
    /// The id in the part of a node of the whole, if the part has it.
    pub fn get(&self, node: NodeId) -> Option<NodeId> {
        let index = self.ids.binary_search(&node).ok()?;
        Some(NodeId(index as u32))
    }

    /// The same of the nearest node that the part has, of `node` and those above it in the
    /// whole.
    pub fn nearest(&self, whole: &SyntaxTree, node: NodeId) -> NodeId {
        let mut around = std::iter::successors(Some(node), |at| whole.parent(*at));
        around.find_map(|at| self.get(at)).expect("a part has the root")
    }

    /// The nodes' ids in the whole, in the order of those in the part.
    pub(super) fn ids(&self) -> &[NodeId] {
        &self.ids
    }
}

impl SyntaxTree {
    /// The nodes of which `share` says so, without recursion, in one pass. The root is one.
    pub(super) fn part(&self, mut share: impl FnMut(NodeId) -> Share) -> (SyntaxTree, KeptNodes) {
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
            let share = if at == 0 { Share::Node } else { share(node) };
            if matches!(share, Share::Node | Share::NodeAlone) {
                let parent = around.last().map_or(NONE, |(_, id)| *id);
                entries.push(SyntaxEntry { parent, after: id + 1, ..entry.clone() });
                ids.push(node);
            }
            if matches!(share, Share::Node) && at + 1 < entry.after {
                around.push((entry.after, id));
            }
            at = match share {
                Share::Node | Share::Below => at + 1,
                Share::NodeAlone | Share::Nothing => entry.after,
            };
        }
        for (_, ended) in around {
            entries[ended as usize].after = entries.len() as u32;
        }
        entries.shrink_to_fit();
        (SyntaxTree { entries }, KeptNodes { ids })
    }
}

//! Syntax tree of one file as a table of nodes in source order. The parser's own tree shares
//! subtrees between versions of a text and finds each child by way of a cursor; a table takes a
//! third of the memory, and every step in it is a look-up.
//!
//! A tree as parsed has all nodes, punctuation and comments included. `SyntaxTree::pruned`
//! and [`SyntaxTree::surface`] make smaller ones of it.

mod bytes;
mod copy;
mod mistaken_casts;
mod node;
mod part_tree;
mod pruning;
mod surface;

use std::ops::Range;

use super::kinds::{Field, Kind};

pub use node::SyntaxNode;
pub use part_tree::PartNodes;

/// Id of a node in its tree: its index in source order, parents before children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// Index that stands for no node.
const NONE: u32 = u32::MAX;

const NAMED: u8 = 1;
const EXTRA: u8 = 2;
const MISSING: u8 = 4;
/// Flag of a node that is or contains an error or a missing node.
const HAS_ERROR: u8 = 8;
/// Flag of a node that is or contains a `{` or `->`.
const HAS_OPENING: u8 = 16;
/// Flag of a node of a surface that was large before its descendants were removed.
const LARGE: u8 = 32;

/// One node in the table; its first child, if it has any, is the next entry.
#[derive(Debug, Clone)]
struct SyntaxEntry {
    start: u32,
    end: u32,
    /// Line of its first byte, from 1.
    line: u32,
    parent: u32,
    /// Index of the first later node that is not below it.
    after: u32,
    kind: Kind,
    /// Role below its parent.
    field: Field,
    flags: u8,
}

// A scan keeps the pruned trees of all files at the same time.
const _: () = assert!(size_of::<SyntaxEntry>() == 24);

/// Syntax tree of one file, as a table of nodes with parents before children.
#[derive(Debug, Clone, Default)]
pub struct SyntaxTree {
    entries: Vec<SyntaxEntry>,
}

impl SyntaxTree {
    /// Returns the id of the root, the whole file.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Returns a view of the root, the whole file.
    pub fn root_node(&self) -> SyntaxNode<'_> {
        self.node(self.root())
    }

    /// Returns a view of the node with this id.
    pub fn node(&self, id: NodeId) -> SyntaxNode<'_> {
        SyntaxNode::of(self, id)
    }

    /// Returns the number of nodes; ids run from 0.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the tree has no node at all (never, for a parsed file).
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Iterates over all nodes in source order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.entries.len() as u32).map(NodeId)
    }

    fn entry(&self, node: NodeId) -> &SyntaxEntry {
        &self.entries[node.0 as usize]
    }

    fn entry_mut(&mut self, node: NodeId) -> &mut SyntaxEntry {
        &mut self.entries[node.0 as usize]
    }

    fn has(&self, node: NodeId, flag: u8) -> bool {
        self.entry(node).flags & flag != 0
    }

    /// Returns the kind of a node.
    pub fn kind(&self, node: NodeId) -> Kind {
        self.entry(node).kind
    }

    /// Returns the role of a node below its parent.
    pub fn field(&self, node: NodeId) -> Field {
        self.entry(node).field
    }

    /// Returns the byte range of a node in the file's text.
    pub fn range(&self, node: NodeId) -> Range<usize> {
        let entry = self.entry(node);
        entry.start as usize..entry.end as usize
    }

    /// Returns the line of a node's first byte, from 1.
    pub fn line(&self, node: NodeId) -> u32 {
        self.entry(node).line
    }

    /// Whether the parser inserted the node to recover from an error.
    pub fn is_missing(&self, node: NodeId) -> bool {
        self.has(node, MISSING)
    }

    /// Returns the parent; `None` for the root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        Some(self.entry(node).parent).filter(|parent| *parent != NONE).map(NodeId)
    }

    /// Iterates over the nodes directly below, in source order.
    pub fn children(&self, node: NodeId) -> Children<'_> {
        Children { tree: self, next: node.0 + 1, end: self.entry(node).after }
    }

    /// Iterates over all nodes below, in source order.
    pub fn descendants(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        (node.0 + 1..self.entry(node).after).map(NodeId)
    }

    /// Returns the first child with this role.
    pub fn child(&self, node: NodeId, field: Field) -> Option<NodeId> {
        self.children(node).find(|child| self.field(*child) == field)
    }

    /// Returns the first child of this kind.
    pub fn first_of_kind(&self, node: NodeId, kind: Kind) -> Option<NodeId> {
        self.children(node).find(|child| self.kind(*child) == kind)
    }

    /// Returns the first child that is a type.
    pub(crate) fn first_type(&self, node: NodeId) -> Option<NodeId> {
        self.children(node).find(|child| self.kind(*child).is_type())
    }

    /// Returns the nearest ancestor of one of these kinds.
    pub fn nearest_above(&self, node: NodeId, kinds: &[Kind]) -> Option<NodeId> {
        let mut above = std::iter::successors(self.parent(node), |at| self.parent(*at));
        above.find(|at| kinds.contains(&self.kind(*at)))
    }
}

/// Iterator over the nodes directly below one, in source order.
#[derive(Clone)]
pub struct Children<'t> {
    tree: &'t SyntaxTree,
    next: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        if self.next >= self.end {
            return None;
        }
        let node = NodeId(self.next);
        self.next = self.tree.entry(node).after;
        Some(node)
    }
}

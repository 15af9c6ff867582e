//! The syntax tree of one file as a table of nodes in source order. The parser's own
//! tree shares subtrees between versions of a text and finds each child by way of a
//! cursor; a table takes a third of the memory, and every step in it is a look-up.
//!
//! A tree as parsed has all nodes, punctuation and comments included. [`SyntaxTree::pruned`]
//! and [`SyntaxTree::surface`] make smaller ones of it.

mod bytes;
mod casts;
mod copy;
mod node;
mod part;
mod pruned;
mod surface;

use std::ops::Range;

use super::kinds::{Field, Kind};

pub use node::SyntaxNode;
pub use part::KeptNodes;

/// The id of a node in its tree: its index in source order, parents before children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// No node.
const NONE: u32 = u32::MAX;

const NAMED: u8 = 1;
const EXTRA: u8 = 2;
const MISSING: u8 = 4;
/// An error or a missing node is it or below it.
const HAS_ERROR: u8 = 8;
/// A `{` or `->` is it or below it.
const HAS_OPENING: u8 = 16;
/// In a surface: it is large, though nothing is below it.
const LARGE: u8 = 32;

/// One node. Its first child, if it has any, follows it.
#[derive(Debug, Clone)]
struct SyntaxEntry {
    start: u32,
    end: u32,
    /// The line of its first byte, from 1.
    line: u32,
    parent: u32,
    /// The first node that is not below it.
    after: u32,
    kind: Kind,
    /// Its role below its parent.
    field: Field,
    flags: u8,
}

// A scan keeps the pruned trees of all files at the same time.
const _: () = assert!(size_of::<SyntaxEntry>() == 24);

/// The nodes of one file; parents before children.
#[derive(Debug, Clone, Default)]
pub struct SyntaxTree {
    entries: Vec<SyntaxEntry>,
}

impl SyntaxTree {
    /// The whole file.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// The whole file, as a view.
    pub fn root_node(&self) -> SyntaxNode<'_> {
        self.node(self.root())
    }

    /// A view of the node with this id.
    pub fn node(&self, id: NodeId) -> SyntaxNode<'_> {
        SyntaxNode::of(self, id)
    }

    /// Number of nodes; ids run from 0.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no node at all (never, for a parsed file).
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All nodes in source order.
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

    /// What the node is.
    pub fn kind(&self, node: NodeId) -> Kind {
        self.entry(node).kind
    }

    /// Its role below its parent.
    pub fn field(&self, node: NodeId) -> Field {
        self.entry(node).field
    }

    /// Its bytes in the file's text.
    pub fn range(&self, node: NodeId) -> Range<usize> {
        let entry = self.entry(node);
        entry.start as usize..entry.end as usize
    }

    /// The line of its first byte, from 1.
    pub fn line(&self, node: NodeId) -> u32 {
        self.entry(node).line
    }

    /// Whether the parser made it up to go on.
    pub fn is_missing(&self, node: NodeId) -> bool {
        self.has(node, MISSING)
    }

    /// The node above; none for the root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        Some(self.entry(node).parent).filter(|parent| *parent != NONE).map(NodeId)
    }

    /// The nodes directly below, in source order.
    pub fn children(&self, node: NodeId) -> Children<'_> {
        Children { tree: self, next: node.0 + 1, end: self.entry(node).after }
    }

    /// All nodes below, in source order.
    pub fn below(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        (node.0 + 1..self.entry(node).after).map(NodeId)
    }

    /// The first child with this role.
    pub fn child(&self, node: NodeId, field: Field) -> Option<NodeId> {
        self.children(node).find(|child| self.field(*child) == field)
    }

    /// The first child of this kind.
    pub fn first(&self, node: NodeId, kind: Kind) -> Option<NodeId> {
        self.children(node).find(|child| self.kind(*child) == kind)
    }

    /// The first child that is a type.
    pub(crate) fn first_type(&self, node: NodeId) -> Option<NodeId> {
        self.children(node).find(|child| self.kind(*child).is_type())
    }

    /// The nearest node above of one of these kinds.
    pub fn above(&self, node: NodeId, kinds: &[Kind]) -> Option<NodeId> {
        let mut above = std::iter::successors(self.parent(node), |at| self.parent(*at));
        above.find(|at| kinds.contains(&self.kind(*at)))
    }
}

/// The nodes directly below one.
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

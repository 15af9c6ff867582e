//! View of a node: its tree and its id in one value.

use std::fmt;
use std::ops::Range;

use super::{EXTRA, HAS_ERROR, HAS_OPENING, NAMED, NodeId, SyntaxTree};
use crate::java::kinds::{Field, Kind};

/// View of a node of a [`SyntaxTree`].
#[derive(Clone, Copy)]
pub struct SyntaxNode<'t> {
    tree: &'t SyntaxTree,
    id: NodeId,
}

impl PartialEq for SyntaxNode<'_> {
    fn eq(&self, other: &SyntaxNode<'_>) -> bool {
        self.id == other.id && std::ptr::eq(self.tree, other.tree)
    }
}

impl Eq for SyntaxNode<'_> {}

impl fmt::Debug for SyntaxNode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.kind_name(), self.byte_range())
    }
}

impl<'t> SyntaxNode<'t> {
    pub(super) fn of(tree: &'t SyntaxTree, id: NodeId) -> SyntaxNode<'t> {
        SyntaxNode { tree, id }
    }

    /// Returns its id, unique within its tree.
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// Returns its kind.
    pub fn kind(&self) -> Kind {
        self.tree.kind(self.id)
    }

    /// Returns the name of its kind in the grammar.
    pub fn kind_name(&self) -> &'static str {
        self.kind().name()
    }

    /// Returns its role below its parent.
    pub fn field(&self) -> Field {
        self.tree.field(self.id)
    }

    /// Returns the offset of its first byte in the file's text.
    pub fn start_byte(&self) -> usize {
        self.byte_range().start
    }

    /// Returns the offset after its last byte in the file's text.
    pub fn end_byte(&self) -> usize {
        self.byte_range().end
    }

    /// Returns its byte range in the file's text.
    pub fn byte_range(&self) -> Range<usize> {
        self.tree.range(self.id)
    }

    /// Returns the line of its first byte, from 1.
    pub fn line(&self) -> u32 {
        self.tree.line(self.id)
    }

    /// Whether the grammar names the node: no punctuation, no keyword.
    pub fn is_named(&self) -> bool {
        self.tree.has(self.id, NAMED)
    }

    /// Whether the node may occur anywhere: a comment.
    pub fn is_extra(&self) -> bool {
        self.tree.has(self.id, EXTRA)
    }

    /// Whether the parser inserted the node to recover from an error.
    pub fn is_missing(&self) -> bool {
        self.tree.is_missing(self.id)
    }

    /// Whether the node is an error node, which the grammar can't parse.
    pub fn is_error(&self) -> bool {
        self.kind() == Kind::Error
    }

    /// Whether the node is, or contains, an error or a missing node.
    pub fn has_error(&self) -> bool {
        self.tree.has(self.id, HAS_ERROR)
    }

    /// Whether the node may contain the body of a class, a lambda or a `switch`: whether a `{` or
    /// `->` is in its text.
    pub(crate) fn may_hold_bodies(&self) -> bool {
        self.tree.has(self.id, HAS_OPENING)
    }

    /// Returns the parent; `None` for the root.
    pub fn parent(&self) -> Option<SyntaxNode<'t>> {
        self.tree.parent(self.id).map(|parent| self.tree.node(parent))
    }

    /// Iterates over the nodes directly below, in source order.
    pub fn children(&self) -> impl Iterator<Item = SyntaxNode<'t>> + Clone + use<'t> {
        let tree = self.tree;
        tree.children(self.id).map(|child| tree.node(child))
    }

    /// Iterates over the named nodes directly below, in source order.
    pub fn named_children(&self) -> impl Iterator<Item = SyntaxNode<'t>> + use<'t> {
        self.children().filter(SyntaxNode::is_named)
    }

    /// Whether the node has no children.
    pub fn is_leaf(&self) -> bool {
        self.children().next().is_none()
    }

    /// Returns the first child in the field `name`.
    pub fn child_by_field_name(&self, name: &str) -> Option<SyntaxNode<'t>> {
        self.children_by_field_name(name).next()
    }

    /// Iterates over the children in the field `name`.
    pub fn children_by_field_name(
        &self,
        name: &str,
    ) -> impl Iterator<Item = SyntaxNode<'t>> + use<'t> {
        let field = Field::of_name(name);
        self.children().filter(move |child| field != Field::Other && child.field() == field)
    }

    /// Returns the node before it, below the same parent.
    pub(crate) fn prev_sibling(&self) -> Option<SyntaxNode<'t>> {
        let parent = self.parent()?;
        // What stands before it is its parent, or the last node below its sibling.
        let before = self.tree.node(NodeId(self.id.0 - 1));
        let mut around = std::iter::successors(Some(before), SyntaxNode::parent);
        around.find(|node| node.parent() == Some(parent))
    }

    /// Visits the node and all nodes below it with their depth, in source order. `visit` returns
    /// whether to descend below its node.
    pub fn walk(&self, mut visit: impl FnMut(SyntaxNode<'t>, usize) -> bool) {
        let end = self.tree.entry(self.id).after;
        // Where the nodes end that hold the current one.
        let mut ends: Vec<u32> = Vec::new();
        let mut index = self.id.0;
        while index < end {
            while ends.last().is_some_and(|end| *end <= index) {
                ends.pop();
            }
            let node = self.tree.node(NodeId(index));
            let after = self.tree.entry(node.id).after;
            if !visit(node, ends.len()) {
                index = after;
                continue;
            }
            index += 1;
            if index < after {
                ends.push(after);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::java::SourceFile;

    const TEXT: &str = "class A { /* c */ int f = 1 + 2, g; void h() { if (a) b(); else { } } }";

    #[test]
    fn nodes_know_those_around_them() {
        let file = SourceFile::parse("A.java", TEXT);
        let class = file.tree.root_node().children().next().unwrap();
        let body = class.child_by_field_name("body").unwrap();
        let members: Vec<_> = body.named_children().collect();
        let kinds: Vec<_> = members.iter().map(|member| member.kind_name()).collect();
        assert_eq!(kinds, ["block_comment", "field_declaration", "method_declaration"]);
        assert_eq!(members[2].prev_sibling(), Some(members[1]));
        assert_eq!(body.children().next().unwrap().prev_sibling(), None);
        assert_eq!(members[1].parent(), Some(body));
        assert!(members[0].is_extra() && members[0].is_leaf());
        let declarators = members[1].children_by_field_name("declarator");
        let texts: Vec<_> = declarators.map(|node| file.text_of(node)).collect();
        assert_eq!(texts, ["f = 1 + 2", "g"]);
    }

    #[test]
    fn bodies_are_found_by_their_openings() {
        let file = SourceFile::parse("A.java", "class A { int f = 1 - 2; }");
        let root = file.tree.root_node();
        assert!(!file.is_timed_out && root.may_hold_bodies());
        let body = root.children().next().unwrap().child_by_field_name("body").unwrap();
        assert!(!body.named_children().next().unwrap().may_hold_bodies());
    }

    #[test]
    fn a_walk_skips_what_is_below_a_node() {
        let file = SourceFile::parse("A.java", TEXT);
        let mut kinds = Vec::new();
        file.tree.root_node().walk(|node, depth| {
            kinds.push((node.kind_name(), depth));
            depth < 1
        });
        let expected = [("program", 0), ("class_declaration", 1)];
        assert_eq!(kinds, expected);
    }
}

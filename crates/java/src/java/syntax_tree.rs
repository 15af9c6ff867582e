//! The syntax tree of one file as a table of nodes in source order. The parser's own
//! tree shares subtrees between versions of a text and finds each child by way of a
//! cursor; a table takes a third of the memory, and every step in it is a look-up.

mod copy;

use std::fmt;
use std::ops::Range;

use super::kinds::{Field, GRAMMAR, Kind};

/// No node.
const NONE: u32 = u32::MAX;

const NAMED: u8 = 1;
const EXTRA: u8 = 2;
const MISSING: u8 = 4;
const HAS_ERROR: u8 = 8;

/// One node. Its first child, if it has any, follows it.
#[derive(Debug, Clone)]
struct SyntaxEntry {
    start: u32,
    end: u32,
    first_row: u32,
    parent: u32,
    /// The first node that is not below it.
    after: u32,
    /// The grammar's id of its kind.
    id: u16,
    kind: Kind,
    /// Its role below its parent.
    field: Field,
    flags: u8,
}

/// All nodes of one file, punctuation and comments included; parents before children.
#[derive(Debug, Clone)]
pub struct SyntaxTree {
    entries: Vec<SyntaxEntry>,
    /// Where lines begin, but for the first.
    lines: Vec<u32>,
    /// Where `{` and `->` stand, in order.
    openings: Vec<u32>,
}

impl SyntaxTree {
    /// The whole file.
    pub fn root_node(&self) -> SyntaxNode<'_> {
        SyntaxNode { tree: self, index: 0 }
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether a `{` or `->` stands in these bytes.
    pub(super) fn has_opening(&self, range: Range<usize>) -> bool {
        let first = self.openings.partition_point(|at| (*at as usize) < range.start);
        self.openings.get(first).is_some_and(|at| (*at as usize) < range.end)
    }
}

/// A node of a [`SyntaxTree`].
#[derive(Clone, Copy)]
pub struct SyntaxNode<'t> {
    tree: &'t SyntaxTree,
    index: u32,
}

impl PartialEq for SyntaxNode<'_> {
    fn eq(&self, other: &SyntaxNode<'_>) -> bool {
        self.index == other.index && std::ptr::eq(self.tree, other.tree)
    }
}

impl Eq for SyntaxNode<'_> {}

impl fmt::Debug for SyntaxNode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.kind_name(), self.byte_range())
    }
}

impl<'t> SyntaxNode<'t> {
    fn entry(&self) -> &'t SyntaxEntry {
        &self.tree.entries[self.index as usize]
    }

    fn at(&self, index: u32) -> SyntaxNode<'t> {
        SyntaxNode { tree: self.tree, index }
    }

    fn has(&self, flag: u8) -> bool {
        self.entry().flags & flag != 0
    }

    /// Its place in source order, from 0: unique within the file.
    pub fn id(&self) -> usize {
        self.index as usize
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.entry().kind
    }

    /// The name of its kind in the grammar.
    pub fn kind_name(&self) -> &'static str {
        GRAMMAR.kind(self.entry().id).name
    }

    /// Its role below its parent.
    pub fn field(&self) -> Field {
        self.entry().field
    }

    /// Its first byte in the file's text.
    pub fn start_byte(&self) -> usize {
        self.entry().start as usize
    }

    /// The byte after its last.
    pub fn end_byte(&self) -> usize {
        self.entry().end as usize
    }

    /// Its bytes in the file's text.
    pub fn byte_range(&self) -> Range<usize> {
        self.start_byte()..self.end_byte()
    }

    /// The line of its first byte, from 0.
    pub fn first_row(&self) -> usize {
        self.entry().first_row as usize
    }

    /// The line of the byte after its last, from 0.
    pub fn last_row(&self) -> usize {
        let (lines, end) = (&self.tree.lines, self.entry().end);
        let first = self.first_row();
        first + lines[first..].partition_point(|line| *line <= end)
    }

    /// Whether the grammar names it: no punctuation, no keyword.
    pub fn is_named(&self) -> bool {
        self.has(NAMED)
    }

    /// Whether it may stand anywhere: a comment.
    pub fn is_extra(&self) -> bool {
        self.has(EXTRA)
    }

    /// Whether the parser made it up to go on.
    pub fn is_missing(&self) -> bool {
        self.has(MISSING)
    }

    /// Whether it is what the parser could not follow.
    pub fn is_error(&self) -> bool {
        self.entry().id == u16::MAX
    }

    /// Whether it is, or holds, an error or a missing node.
    pub fn has_error(&self) -> bool {
        self.has(HAS_ERROR)
    }

    /// The node above; none for the root.
    pub fn parent(&self) -> Option<SyntaxNode<'t>> {
        let parent = self.entry().parent;
        (parent != NONE).then(|| self.at(parent))
    }

    /// The nodes directly below, in source order.
    pub fn children(&self) -> Children<'t> {
        Children { tree: self.tree, next: self.index + 1, end: self.entry().after }
    }

    /// The named nodes directly below.
    pub fn named_children(&self) -> impl Iterator<Item = SyntaxNode<'t>> + use<'t> {
        self.children().filter(SyntaxNode::is_named)
    }

    /// Whether nothing is below it.
    pub fn is_leaf(&self) -> bool {
        self.entry().after == self.index + 1
    }

    /// The first child in the field `name`.
    pub fn child_by_field_name(&self, name: &str) -> Option<SyntaxNode<'t>> {
        self.children_by_field_name(name).next()
    }

    /// The children in the field `name`.
    pub fn children_by_field_name(
        &self,
        name: &str,
    ) -> impl Iterator<Item = SyntaxNode<'t>> + use<'t> {
        let field = Field::of_name(name);
        self.children().filter(move |child| field != Field::Other && child.field() == field)
    }

    /// The node before it, below the same parent.
    pub fn prev_sibling(&self) -> Option<SyntaxNode<'t>> {
        // What stands before it is its parent, or the last node below its sibling.
        let parent = self.entry().parent;
        let mut before = self.index.checked_sub(1).filter(|index| *index != parent)?;
        while self.at(before).entry().parent != parent {
            before = self.at(before).entry().parent;
        }
        Some(self.at(before))
    }

    /// Itself and all nodes below it with their depth below it, in source order. `visit`
    /// says whether to go on below the node it gets.
    pub fn walk(&self, mut visit: impl FnMut(SyntaxNode<'t>, usize) -> bool) {
        let end = self.entry().after;
        // Where the nodes end that hold the current one.
        let mut ends: Vec<u32> = Vec::new();
        let mut index = self.index;
        while index < end {
            while ends.last().is_some_and(|end| *end <= index) {
                ends.pop();
            }
            let node = self.at(index);
            let after = node.entry().after;
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

/// The nodes directly below one.
#[derive(Clone)]
pub struct Children<'t> {
    tree: &'t SyntaxTree,
    next: u32,
    end: u32,
}

impl<'t> Iterator for Children<'t> {
    type Item = SyntaxNode<'t>;

    fn next(&mut self) -> Option<SyntaxNode<'t>> {
        if self.next >= self.end {
            return None;
        }
        let node = SyntaxNode { tree: self.tree, index: self.next };
        self.next = node.entry().after;
        Some(node)
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
        assert_eq!(members[1].parent(), Some(body));
        assert!(members[0].is_extra() && members[0].is_leaf());
        let declarators = members[1].children_by_field_name("declarator");
        let texts: Vec<_> = declarators.map(|node| file.text_of(node)).collect();
        assert_eq!(texts, ["f = 1 + 2", "g"]);
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

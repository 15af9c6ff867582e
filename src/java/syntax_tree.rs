//! The syntax tree of one file as a table of nodes in source order. The parser's own
//! tree shares subtrees between versions of a text and finds each child by way of a
//! cursor; a table takes a third of the memory, and every step in it is a look-up.

use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use tree_sitter::{Language, TreeCursor};

use super::fast::Map;

/// The grammar's names by their ids. The parser's own look-up measures and compares text.
struct Names {
    kinds: Vec<&'static str>,
    fields: Map<&'static str, u16>,
}

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_java_orchard::LANGUAGE.into());

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let language: &'static Language = &LANGUAGE;
    let kind = |id: usize| language.node_kind_for_id(id as u16).unwrap_or_default();
    let name = |id: usize| Some((language.field_name_for_id(id as u16)?, id as u16));
    Names {
        kinds: (0..language.node_kind_count()).map(kind).collect(),
        fields: (0..=language.field_count()).filter_map(name).collect(),
    }
});

/// No node.
const NONE: u32 = u32::MAX;

const NAMED: u8 = 1;
const EXTRA: u8 = 2;
const MISSING: u8 = 4;
const HAS_ERROR: u8 = 8;

/// One node. Its first child, if it has any, follows it.
#[derive(Debug, Clone)]
struct Entry {
    start: u32,
    end: u32,
    first_row: u32,
    last_row: u32,
    parent: u32,
    /// The first node that is not below it.
    after: u32,
    kind: u16,
    /// Its role below its parent; 0 for none.
    field: u16,
    flags: u8,
}

/// All nodes of one file, punctuation and comments included; parents before children.
#[derive(Debug, Clone)]
pub struct SyntaxTree {
    entries: Vec<Entry>,
}

impl SyntaxTree {
    /// Copies the parser's tree, without recursion, in one pass.
    pub(super) fn of(tree: &tree_sitter::Tree) -> SyntaxTree {
        let mut cursor = tree.walk();
        let mut copy = SyntaxTree { entries: Vec::with_capacity(cursor.node().descendant_count()) };
        let mut parent = NONE;
        loop {
            let index = copy.push(&cursor, parent);
            if cursor.goto_first_child() {
                parent = index;
                continue;
            }
            copy.close(index);
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return copy;
                }
                copy.close(parent);
                parent = copy.entries[parent as usize].parent;
            }
        }
    }

    fn push(&mut self, cursor: &TreeCursor<'_>, parent: u32) -> u32 {
        let node = cursor.node();
        let flag = |has: bool, flag: u8| if has { flag } else { 0 };
        let is_missing = node.is_missing();
        let flags = flag(node.is_named(), NAMED)
            | flag(node.is_extra(), EXTRA)
            | flag(is_missing, MISSING)
            | flag(is_missing || node.is_error(), HAS_ERROR);
        self.entries.push(Entry {
            start: node.start_byte() as u32,
            end: node.end_byte() as u32,
            first_row: node.start_position().row as u32,
            last_row: node.end_position().row as u32,
            parent,
            after: NONE,
            kind: node.kind_id(),
            field: cursor.field_id().map_or(0, std::num::NonZero::get),
            flags,
        });
        self.entries.len() as u32 - 1
    }

    /// All below `index` is there.
    fn close(&mut self, index: u32) {
        let after = self.entries.len() as u32;
        let entry = &mut self.entries[index as usize];
        entry.after = after;
        let (parent, error) = (entry.parent, entry.flags & HAS_ERROR);
        if parent != NONE {
            self.entries[parent as usize].flags |= error;
        }
    }

    /// The whole file.
    pub fn root_node(&self) -> Node<'_> {
        Node { tree: self, index: 0 }
    }
}

/// A node of a [`SyntaxTree`].
#[derive(Clone, Copy)]
pub struct Node<'t> {
    tree: &'t SyntaxTree,
    index: u32,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Node<'_>) -> bool {
        self.index == other.index && std::ptr::eq(self.tree, other.tree)
    }
}

impl Eq for Node<'_> {}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.kind(), self.byte_range())
    }
}

impl<'t> Node<'t> {
    fn entry(&self) -> &'t Entry {
        &self.tree.entries[self.index as usize]
    }

    fn at(&self, index: u32) -> Node<'t> {
        Node { tree: self.tree, index }
    }

    fn has(&self, flag: u8) -> bool {
        self.entry().flags & flag != 0
    }

    /// Its place in source order, from 0: unique within the file.
    pub fn id(&self) -> usize {
        self.index as usize
    }

    /// The name of its kind in the grammar.
    pub fn kind(&self) -> &'static str {
        // The error node's id lies outside the table.
        NAMES.kinds.get(usize::from(self.entry().kind)).copied().unwrap_or("ERROR")
    }

    /// The grammar's id of its kind.
    pub(super) fn kind_id(&self) -> u16 {
        self.entry().kind
    }

    /// The grammar's id of its role below its parent; 0 for none.
    pub(super) fn field_id(&self) -> u16 {
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
        self.entry().last_row as usize
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
        self.entry().kind == u16::MAX
    }

    /// Whether it is, or holds, an error or a missing node.
    pub fn has_error(&self) -> bool {
        self.has(HAS_ERROR)
    }

    /// The node above; none for the root.
    pub fn parent(&self) -> Option<Node<'t>> {
        let parent = self.entry().parent;
        (parent != NONE).then(|| self.at(parent))
    }

    /// The nodes directly below, in source order.
    pub fn children(&self) -> Children<'t> {
        Children { tree: self.tree, next: self.index + 1, end: self.entry().after }
    }

    /// The named nodes directly below.
    pub fn named_children(&self) -> impl Iterator<Item = Node<'t>> + use<'t> {
        self.children().filter(Node::is_named)
    }

    /// Whether nothing is below it.
    pub fn is_leaf(&self) -> bool {
        self.entry().after == self.index + 1
    }

    /// The first child in the field `name`.
    pub fn child_by_field_name(&self, name: &str) -> Option<Node<'t>> {
        self.children_by_field_name(name).next()
    }

    /// The children in the field `name`.
    pub fn children_by_field_name(&self, name: &str) -> impl Iterator<Item = Node<'t>> + use<'t> {
        let field = NAMES.fields.get(name).copied();
        self.children().filter(move |child| Some(child.entry().field) == field)
    }

    /// The node before it, below the same parent.
    pub fn prev_sibling(&self) -> Option<Node<'t>> {
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
    pub fn walk(&self, mut visit: impl FnMut(Node<'t>, usize) -> bool) {
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
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        if self.next >= self.end {
            return None;
        }
        let node = Node { tree: self.tree, index: self.next };
        self.next = node.entry().after;
        Some(node)
    }
}

#[cfg(test)]
mod tests {
    use crate::java::SourceFile;

    const TEXT: &str = "class A { /* c */ int f = 1 + 2, g; void h() { if (a) b(); else { } } }";

    /// Kinds and ranges by the parser's own tree.
    fn by_the_parser(tree: &tree_sitter::Tree) -> Vec<(usize, &str, std::ops::Range<usize>, bool)> {
        let mut found = Vec::new();
        let mut todo = vec![(tree.root_node(), 0)];
        while let Some((node, depth)) = todo.pop() {
            found.push((depth, node.kind(), node.byte_range(), node.has_error()));
            let children: Vec<_> = node.children(&mut node.walk()).collect();
            todo.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
        }
        found
    }

    #[test]
    fn the_table_holds_what_the_parser_found() {
        for text in [TEXT, "", "class A { int f = ; void ( }", "interface I { int c = (1); }"] {
            let file = SourceFile::parse("A.java", text);
            let mut found = Vec::new();
            file.tree.root_node().walk(|node, depth| {
                found.push((depth, node.kind(), node.byte_range(), node.has_error()));
                true
            });
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&tree_sitter_java_orchard::LANGUAGE.into()).unwrap();
            assert_eq!(found, by_the_parser(&parser.parse(text, None).unwrap()), "{text}");
        }
    }

    #[test]
    fn nodes_know_those_around_them() {
        let file = SourceFile::parse("A.java", TEXT);
        let class = file.tree.root_node().children().next().unwrap();
        let body = class.child_by_field_name("body").unwrap();
        let members: Vec<_> = body.named_children().collect();
        let kinds: Vec<_> = members.iter().map(|member| member.kind()).collect();
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
            kinds.push((node.kind(), depth));
            depth < 1
        });
        let expected = [("program", 0), ("class_declaration", 1)];
        assert_eq!(kinds, expected);
    }
}

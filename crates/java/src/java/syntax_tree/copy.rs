//! Copy of the parser's tree to the table, node by node. Every query of the parser's library is
//! a call that is not inlined, and there are millions of nodes: properties of a kind are looked
//! up in the grammar's tables instead, as long as the file has no error.

use std::iter::Peekable;

use memchr::memchr_iter;
use tree_sitter::TreeCursor;

use super::{EXTRA, HAS_ERROR, HAS_OPENING, MISSING, NAMED, NONE, SyntaxEntry, SyntaxTree};
use crate::java::kinds::{GRAMMAR, Grammar, Kind};

/// State of a copy from the parser's tree to the table.
struct TreeCopy<'a, L: Iterator<Item = usize>> {
    to: SyntaxTree,
    grammar: &'a Grammar,
    /// Whether some nodes differ from the grammar's tables: then the parser is queried for each.
    has_error: bool,
    /// Offsets of line ends, from the line of the last node's first byte on.
    line_ends: Peekable<L>,
    /// Number of the line of the last node's first byte, from 1.
    line: u32,
}

impl SyntaxTree {
    /// Copies the parser's tree of `text`, without recursion, in one pass.
    pub(in crate::java) fn of(tree: &tree_sitter::Tree, text: &str) -> SyntaxTree {
        let mut cursor = tree.walk();
        let root = cursor.node();
        let mut copy = TreeCopy {
            to: SyntaxTree { entries: Vec::with_capacity(root.descendant_count()) },
            grammar: &GRAMMAR,
            has_error: root.has_error(),
            line_ends: memchr_iter(b'\n', text.as_bytes()).peekable(),
            line: 1,
        };
        copy.copy_all(&mut cursor);
        copy.to
    }
}

impl<L: Iterator<Item = usize>> TreeCopy<'_, L> {
    fn copy_all(&mut self, cursor: &mut TreeCursor<'_>) {
        let mut parent = NONE;
        loop {
            let index = self.push(cursor, parent);
            let may_hold = self.has_error || self.to.entries[index as usize].flags & NAMED != 0;
            if may_hold && cursor.goto_first_child() {
                parent = index;
                continue;
            }
            self.finish_node(index);
            let end = self.to.entries[index as usize].end;
            while self.is_last(parent, end) || !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.finish_node(parent);
                parent = self.to.entries[parent as usize].parent;
            }
        }
    }

    /// Whether the node below `parent` that ends at `end` is known to be the last there, which
    /// saves a query: without an error no node is empty.
    fn is_last(&self, parent: u32, end: u32) -> bool {
        let parent = self.to.entries.get(parent as usize);
        !self.has_error && parent.is_some_and(|parent| parent.end == end)
    }

    fn push(&mut self, cursor: &TreeCursor<'_>, parent: u32) -> u32 {
        let node = cursor.node();
        let (start, end) = (node.start_byte(), node.end_byte());
        let known = self.grammar.kind(node.kind_id());
        let is_comment = matches!(known.kind, Kind::LineComment | Kind::BlockComment);
        let flags = match self.has_error {
            true => flags_of(node),
            false => flag(known.is_named, NAMED) | flag(is_comment, EXTRA),
        };
        let is_opening = matches!(known.kind, Kind::OpenBrace | Kind::Arrow) && start < end;
        while self.line_ends.next_if(|line_end| *line_end < start).is_some() {
            self.line += 1;
        }
        self.to.entries.push(SyntaxEntry {
            start: start as u32,
            end: end as u32,
            line: self.line,
            parent,
            after: NONE,
            kind: known.kind,
            field: self.grammar.field(cursor.field_id().map_or(0, std::num::NonZero::get)),
            flags: flags | flag(is_opening, HAS_OPENING),
        });
        self.to.entries.len() as u32 - 1
    }

    /// Ends the node `index`, whose descendants are all copied.
    fn finish_node(&mut self, index: u32) {
        let after = self.to.entries.len() as u32;
        let entry = &mut self.to.entries[index as usize];
        entry.after = after;
        let (parent, below) = (entry.parent, entry.flags & (HAS_ERROR | HAS_OPENING));
        if parent != NONE {
            self.to.entries[parent as usize].flags |= below;
        }
    }
}

fn flag(has: bool, flag: u8) -> u8 {
    if has { flag } else { 0 }
}

/// Returns the flags of a node as the parser has them.
fn flags_of(node: tree_sitter::Node<'_>) -> u8 {
    let is_missing = node.is_missing();
    flag(node.is_named(), NAMED)
        | flag(node.is_extra(), EXTRA)
        | flag(is_missing, MISSING)
        | flag(is_missing || node.is_error(), HAS_ERROR)
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use crate::java::SourceFile;
    use crate::java::kinds::Field;

    /// What is known of a node: depth, kind, bytes; whether it is named, an extra, missing,
    /// and holds an error; lines; field.
    type Known = (usize, String, Range<usize>, [bool; 4], [u32; 2], Field);

    /// By the parser's own tree.
    fn by_the_parser(tree: &tree_sitter::Tree) -> Vec<Known> {
        let mut found = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let flags = [node.is_named(), node.is_extra(), node.is_missing(), node.has_error()];
            let lines = [node.start_position().row, node.end_position().row];
            let lines = lines.map(|row| row as u32 + 1);
            let field = cursor.field_name().map_or(Field::Other, Field::of_name);
            let depth = cursor.depth() as usize;
            found.push((depth, node.kind().to_owned(), node.byte_range(), flags, lines, field));
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return found;
                }
            }
        }
    }

    fn by_the_table(file: &SourceFile) -> Vec<Known> {
        let mut found = Vec::new();
        file.tree.root_node().walk(|node, depth| {
            let flags = [node.is_named(), node.is_extra(), node.is_missing(), node.has_error()];
            let lines = [node.line(), file.last_line(node)];
            found.push((
                depth,
                node.kind_name().to_owned(),
                node.byte_range(),
                flags,
                lines,
                node.field(),
            ));
            true
        });
        found
    }

    /// Texts with and without errors, with lines of both sorts.
    const TEXTS: [&str; 6] = [
        "class A { /* c */ int f = 1 + 2, g; void h() { if (a) b(); else { } } }",
        "",
        "class A { int f = ; void ( }",
        "interface I { int c = (1); }",
        "// c\n\nclass A {\r\n  /* d\n */ @X(a = 1) int f = g -> {\n\n  };\n}\n\n",
        "class A { String s = \"\"\"\n  {x}\n  \"\"\";\n int g() { return switch (a) { default -> 1; }; }",
    ];

    #[test]
    fn the_table_holds_what_the_parser_found() {
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&tree_sitter_java_orchard::LANGUAGE.into()).unwrap();
        let comment = format!("/* {} */", "long\n".repeat(1000));
        let commented = TEXTS.map(|text| text.replace('{', &format!("{{{comment}")));
        for text in TEXTS.map(str::to_owned).iter().chain(&commented) {
            let file = SourceFile::parse("A.java", text.as_str());
            assert_eq!(by_the_table(&file), by_the_parser(&parser.parse(text, None).unwrap()));
        }
    }
}

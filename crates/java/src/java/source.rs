//! Java source file and its syntax tree.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use memchr::memchr_iter;
use tree_sitter::{ParseOptions, Parser, Tree};

use super::compact_source;
use super::escapes;
use super::regions::{self, RegionKind, Regions};
use super::syntax_tree::{NodeId, SyntaxNode, SyntaxTree};

/// Source file with its text and syntax tree.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Path relative to its source root, with `/` on every system.
    pub path: String,
    /// The whole text (CRLF included), with unicode escapes outside literals decoded, and with
    /// the class of a compact source file: the same program, with each token in its line.
    pub text: String,
    /// The syntax tree with all nodes; it may hold error nodes.
    pub tree: SyntaxTree,
    /// Whether the parser exceeded its time limit and was stopped.
    pub is_timed_out: bool,
}

impl SourceFile {
    /// Parses `text`. Never fails: what the grammar can't follow becomes error nodes, and
    /// text that keeps the parser busy beyond reason has an empty tree.
    pub fn parse(path: impl Into<String>, text: impl Into<String>) -> SourceFile {
        let (path, text) = (path.into(), text.into());
        let text = to_parser_text(&path, text);
        let (tree, is_timed_out) = parse(&text, time_limit(text.len()));
        let tree = SyntaxTree::of(&tree, &text);
        SourceFile { path, text, tree, is_timed_out }
    }

    /// Makes a file with an empty tree, from text that an earlier run already parsed.
    pub fn unparsed(path: impl Into<String>, text: impl Into<String>) -> SourceFile {
        let (path, text) = (path.into(), text.into());
        let text = to_parser_text(&path, text);
        SourceFile { path, text, tree: EMPTY.clone(), is_timed_out: false }
    }

    /// Parses the text of a file without a tree and returns a copy with it.
    pub fn reparse(&self) -> SourceFile {
        let (tree, is_timed_out) = parse(&self.text, time_limit(self.text.len()));
        let tree = SyntaxTree::of(&tree, &self.text);
        SourceFile { path: self.path.clone(), text: self.text.clone(), tree, is_timed_out }
    }

    /// Frees the memory of the syntax tree; the text stays, with an empty tree.
    pub fn forget_tree(&mut self) {
        self.tree = EMPTY.clone();
    }

    /// Returns the node of the syntax tree with this id.
    pub fn node(&self, id: NodeId) -> SyntaxNode<'_> {
        self.tree.node(id)
    }

    /// Returns the text of `node`.
    pub fn text_of(&self, node: SyntaxNode<'_>) -> &str {
        &self.text[node.byte_range()]
    }

    /// Returns the line of the byte after the last of `node`, from 1.
    pub fn last_line(&self, node: SyntaxNode<'_>) -> u32 {
        let line_ends = memchr_iter(b'\n', self.text_of(node).as_bytes());
        node.line() + line_ends.count() as u32
    }
}

/// Whether a character outside of comments is not ASCII, so that another encoding could change
/// the program.
pub fn has_letters_outside_comments(text: &str) -> bool {
    let mut from = 0;
    for region in Regions::of(text).filter(|region| region.kind != RegionKind::Literal) {
        if !text[from..region.range.start].is_ascii() {
            return true;
        }
        from = region.range.end;
    }
    !text[from..].is_ascii()
}

/// Returns the text with a blank in the place of each comment.
pub fn without_comments(text: &str) -> String {
    let (mut plain, mut from) = (String::with_capacity(text.len()), 0);
    for region in Regions::of(text).filter(|region| region.kind != RegionKind::Literal) {
        plain.push_str(&text[from..region.range.start]);
        plain.push(' ');
        from = region.range.end;
    }
    plain + &text[from..]
}

/// Returns the text that is parsed: escapes decoded, and with the class of a compact source file.
fn to_parser_text(path: &str, text: String) -> String {
    let text = escapes::decode_escapes(&text).unwrap_or(text);
    compact_source::wrap_in_class(path, &text).unwrap_or(text)
}

static EMPTY: LazyLock<SyntaxTree> =
    LazyLock::new(|| SyntaxTree::of(&parse("", Duration::MAX).0, ""));

/// Returns the time limit of the parser for a number of bytes: hundreds of times what it needs
/// for any code that people write, on a machine that is busy with other things.
fn time_limit(bytes: usize) -> Duration {
    Duration::from_secs(10) + Duration::from_micros(bytes as u64 * 2)
}

thread_local! {
    /// Parser of this thread, which reuses its memory.
    static PARSER: RefCell<Parser> = RefCell::new(java_parser());
}

fn java_parser() -> Parser {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_java_orchard::LANGUAGE.into())
        .expect("the grammar's ABI version is one that the linked tree-sitter reads");
    parser
}

/// Parses `text`; returns the syntax tree, or an empty one and true after more than `limit`.
fn parse(text: &str, limit: Duration) -> (Tree, bool) {
    PARSER.with_borrow_mut(|parser| {
        if let Some(tree) = parse_within(parser, text, limit) {
            return (tree, false);
        }
        parser.reset();
        let empty = parse_within(parser, "", Duration::MAX);
        (empty.expect("parsing without a deadline ends with a tree"), true)
    })
}

fn parse_within(parser: &mut Parser, text: &str, limit: Duration) -> Option<Tree> {
    let start = Instant::now();
    let mut progress = |_: &tree_sitter::ParseState| match start.elapsed() > limit {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.set_included_ranges(&regions::visible_ranges(text)).expect("the ranges are in order");
    let bytes = text.as_bytes();
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::java::kinds::Kind;

    /// The two inputs by which the fork of the grammar is used: the original makes error nodes
    /// of them (docs/how-to/scan-sources.md).
    #[test]
    fn what_the_original_grammar_has_no_rule_for_is_parsed() {
        for text in ["import module a;", "class A { A() { f(); super(); } }"] {
            let file = SourceFile::parse("A.java", text);
            let mut errors = 0;
            file.tree.root_node().walk(|node, _| {
                errors += usize::from(node.kind() == Kind::Error || node.is_missing());
                true
            });
            assert_eq!(errors, 0, "{text}");
        }
    }

    #[test]
    fn letters_in_comments_are_told_from_others() {
        assert!(!has_letters_outside_comments("class A { // ä\n /* ö */ int a; } // ü"));
        assert!(has_letters_outside_comments("class A { /* a */ String s = \"ä\"; }"));
        assert!(has_letters_outside_comments("class Ä { }"));
    }

    #[test]
    fn comments_are_blanks() {
        let text = "a/* { */.b; // c\n@D(\"// no\") /d /* e";
        assert_eq!(without_comments(text), "a .b;  \n@D(\"// no\") /d  ");
    }

    #[test]
    fn the_parser_stops_when_its_time_is_over() {
        let mut parser = java_parser();
        let text = "class A { void m() { f(1); } }".repeat(10_000);
        assert!(parse_within(&mut parser, &text, Duration::ZERO).is_none());
    }
}

//! One Java source file and its syntax tree.

use tree_sitter::{Parser, Tree};

use super::escapes;

/// A parsed source file. The tree's nodes borrow from it.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Path relative to its source root, with `/` on every system.
    pub path: String,
    /// The whole text (BOM and CRLF included), with unicode escapes outside literals
    /// decoded: the same program, with each token in its place.
    pub text: String,
    /// The syntax tree; it may hold error nodes.
    pub tree: Tree,
}

impl SourceFile {
    /// Parses `text`. Never fails: what the grammar can't follow becomes error nodes.
    pub fn parse(path: impl Into<String>, text: impl Into<String>) -> SourceFile {
        let text = text.into();
        let text = escapes::decoded(&text).unwrap_or(text);
        let mut parser = Parser::new();
        parser
            .set_language(&tree_sitter_java_orchard::LANGUAGE.into())
            .expect("the grammar's ABI version is one that the linked tree-sitter reads");
        let tree = parser.parse(&text, None).expect("parsing without a deadline ends with a tree");
        SourceFile { path: path.into(), text, tree }
    }

    /// The text under `node`.
    pub fn text_of(&self, node: tree_sitter::Node<'_>) -> &str {
        &self.text[node.byte_range()]
    }
}

//! Loops that are watched: exceptions that leave one of their blocks are counted, so that blocks
//! follow from others even where code may throw. They call nothing: a call may take for ever, and a
//! thread in it has entered blocks and not come to their end.

use crate::java::SyntaxNode;

use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// Finds the outermost loops of `file` that call nothing, in source order.
pub fn find_loops(file: &SourceFile) -> Vec<SyntaxNode<'_>> {
    let root = file.tree.root_node();
    let mut calls = Vec::new();
    syntax::walk(root, |node, _| {
        if may_call(node) {
            calls.push(node.start_byte());
        }
        true
    });
    let mut found = Vec::new();
    syntax::walk(root, |node, _| {
        let is_loop =
            matches!(node.kind(), kind::FOR_STATEMENT | kind::WHILE_STATEMENT | kind::DO_STATEMENT);
        let first_call = calls.partition_point(|call| *call < node.start_byte());
        let calls_nothing = calls.get(first_call).is_none_or(|call| *call >= node.end_byte());
        let is_watched = is_loop && calls_nothing && !node.has_error();
        if is_watched {
            found.push(node);
        }
        !is_watched
    });
    found
}

/// Whether `node` calls other code, contains blocks that are no statements, or holds a lock that
/// an exception would release. (A `+` may be one of strings, and call `toString`: only if the
/// program ends there is its block counted to the end.)
fn may_call(node: SyntaxNode<'_>) -> bool {
    match node.kind() {
        kind::METHOD_INVOCATION
        | kind::OBJECT_CREATION_EXPRESSION
        | kind::EXPLICIT_CONSTRUCTOR_INVOCATION
        | kind::LAMBDA_EXPRESSION
        | kind::METHOD_REFERENCE
        | kind::STRING_LITERAL
        | kind::ENHANCED_FOR_STATEMENT
        | kind::SWITCH_EXPRESSION
        | kind::SYNCHRONIZED_STATEMENT
        | kind::TRY_STATEMENT
        | kind::TRY_WITH_RESOURCES_STATEMENT
        | kind::ASSERT_STATEMENT => true,
        // A pattern's variable may be in scope after the loop.
        kind::INSTANCEOF_EXPRESSION => {
            syntax::field(node, field::NAME).is_some()
                || syntax::field(node, field::PATTERN).is_some()
        }
        _ => syntax::is_type_declaration(node),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_loops_without_calls_are_found() {
        let java = "class T { void m() {
            for (;;) { f(); while (a[0] > 1) do i++; while (i < 3); }
            while (true) { x = \"\" + i; }
            for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s += a[i][j];
            do { if (o instanceof String s) i++; } while (o != null); } }";
        let file = SourceFile::parse("T.java", java);
        let found: Vec<&str> =
            find_loops(&file).into_iter().map(|node| file.text_of(node)).collect();
        let (first, second) = (
            "while (a[0] > 1) do i++; while (i < 3);",
            "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s += a[i][j];",
        );
        assert_eq!(found, [first, second]);
    }
}

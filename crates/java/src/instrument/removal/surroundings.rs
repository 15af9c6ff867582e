//! Loops and `try` statements around a statement, which restrict its removal.

use crate::java::SyntaxNode;
use crate::java::fast_hash::Set;

use super::effects::all_names;
use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// Loop conditions and `try` statements around a statement that restrict its removal.
#[derive(Debug, Clone, Default)]
pub(super) struct Surroundings<'t> {
    pub(super) parent: Option<usize>,
    /// Names in the condition of the loop.
    pub(super) condition: Set<&'t str>,
    /// Whether calls on these names may end the loop (an iterator, a stream).
    pub(super) calls_count: bool,
    /// Whether the surrounding `try` has a `catch` that may need the statement's exceptions.
    pub(super) checked: bool,
}

/// Most surroundings, from inside out, that are searched; enough for code written by hand.
pub(super) const FARTHEST_LOOP: usize = 64;

/// Deepest `if` in the body of a loop without a condition of its own whose condition is searched.
const FARTHEST_CONDITION: usize = 256;

/// Returns the surroundings of a loop's body, with the names that decide when the loop ends:
/// those of its condition, or, if it has none that varies, of the `if` conditions in it.
pub(super) fn loop_surroundings<'t>(
    file: &'t SourceFile,
    node: SyntaxNode<'t>,
    parent: usize,
) -> Surroundings<'t> {
    let condition = syntax::field(node, field::CONDITION);
    let mut names = Set::default();
    condition.into_iter().for_each(|condition| all_names(file, condition, &mut names));
    if names.is_empty() {
        let body = syntax::field(node, field::BODY);
        body.into_iter().for_each(|body| {
            syntax::walk(body, |inner, depth| {
                let is_if = syntax::kind_of(inner) == kind::IF_STATEMENT;
                let condition = syntax::field(inner, field::CONDITION).filter(|_| is_if);
                condition.into_iter().for_each(|c| all_names(file, c, &mut names));
                depth < FARTHEST_CONDITION
            });
        });
    }
    let calls_count = syntax::field(node, field::UPDATE).is_none();
    Surroundings { parent: Some(parent), condition: names, calls_count, checked: false }
}

/// Exceptions of java.lang and java.util that need not be thrown where they are
/// caught (JLS 11.2.3).
const UNCHECKED: [&str; 24] = [
    "Exception",
    "Throwable",
    "RuntimeException",
    "Error",
    "ArithmeticException",
    "ArrayIndexOutOfBoundsException",
    "ArrayStoreException",
    "AssertionError",
    "ClassCastException",
    "ConcurrentModificationException",
    "EmptyStackException",
    "IllegalArgumentException",
    "IllegalMonitorStateException",
    "IllegalStateException",
    "IndexOutOfBoundsException",
    "NegativeArraySizeException",
    "NoSuchElementException",
    "NullPointerException",
    "NumberFormatException",
    "OutOfMemoryError",
    "SecurityException",
    "StackOverflowError",
    "StringIndexOutOfBoundsException",
    "UnsupportedOperationException",
];

/// Whether a `try` catches an exception that may be checked.
pub(super) fn catches_checked(file: &SourceFile, node: SyntaxNode<'_>) -> bool {
    let clauses = syntax::children_of_kind(node, kind::CATCH_CLAUSE).into_iter();
    let parameters =
        clauses.filter_map(|clause| syntax::child_of_kind(clause, kind::CATCH_FORMAL_PARAMETER));
    let types = parameters.filter_map(|node| syntax::child_of_kind(node, kind::CATCH_TYPE));
    types.flat_map(syntax::named_children).any(|ty| {
        let name = file.text_of(ty);
        !UNCHECKED.contains(&name.rsplit('.').next().unwrap_or(name).trim())
    })
}

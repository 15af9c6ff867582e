//! Reads the statements of a loop's body as moves of elements.

use crate::hint::pattern;
use crate::java::{SourceFile, SyntaxNode};

/// How elements are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    /// `to.put(from.get(i))`.
    BufferToBuffer,
    /// `to.put(from[i])`.
    ArrayToBuffer,
    /// `to[i] = from.get(i)` with a buffer.
    BufferToArray,
    /// `to[i] = from[i]`.
    ArrayToArray,
    /// `to.add(from.get(i))`, or `to.add(x)` for each `x` of `from`.
    CollectionToCollection,
    /// `to.add(from[i])`.
    ArrayToCollection,
}

/// One statement of a copying body.
pub(super) struct CopyStep<'t> {
    pub how: Move,
    pub from: SyntaxNode<'t>,
    pub to: SyntaxNode<'t>,
    /// Offset of the source's index from the counter.
    pub read: i64,
    /// Offset of the target's index from the counter; 0 for relative puts.
    pub write: i64,
}

/// Reads one statement of the body as a move.
pub(super) fn step<'t>(
    file: &SourceFile,
    statement: SyntaxNode<'t>,
    counter: &str,
) -> Option<CopyStep<'t>> {
    let expression = pattern::expression(statement)?;
    if let Some((left, right)) = pattern::as_assignment(file, expression) {
        let (to, index) = pattern::as_element(left)?;
        let (how, from, read) = element(file, right, counter)?;
        let how = if how == Move::ArrayToArray { how } else { Move::BufferToArray };
        return Some(CopyStep {
            how,
            from,
            to,
            read,
            write: pattern::index_offset(file, index, counter)?,
        });
    }
    let call = pattern::as_call(expression)?;
    let [argument] = call.arguments.as_slice() else { return None };
    let (kind, from, read) = element(file, *argument, counter)?;
    let array = kind == Move::ArrayToArray;
    let how = match (file.text_of(call.name), array) {
        ("put", true) => Move::ArrayToBuffer,
        ("put", false) => Move::BufferToBuffer,
        ("add", true) => Move::ArrayToCollection,
        ("add", false) => Move::CollectionToCollection,
        _ => return None,
    };
    Some(CopyStep { how, from, to: call.object?, read, write: read })
}

/// Reads `from[i + c]` or `from.get(i + c)`.
fn element<'t>(
    file: &SourceFile,
    node: SyntaxNode<'t>,
    counter: &str,
) -> Option<(Move, SyntaxNode<'t>, i64)> {
    let node = pattern::without_parentheses(node);
    if let Some((array, index)) = pattern::as_element(node) {
        return Some((Move::ArrayToArray, array, pattern::index_offset(file, index, counter)?));
    }
    let call = pattern::as_call(node)?;
    let [index] = call.arguments.as_slice() else { return None };
    let offset = pattern::index_offset(file, *index, counter)?;
    (file.text_of(call.name) == "get").then_some((Move::BufferToBuffer, call.object?, offset))
}

/// Whether the statements move, in order, as many consecutive elements as the counter
/// steps, always from one plain place to another.
pub(super) fn moves_a_run(file: &SourceFile, steps: &[CopyStep<'_>], counter_step: u32) -> bool {
    let Some(first) = steps.first() else { return false };
    let (from, to) = (file.text_of(first.from), file.text_of(first.to));
    let plain = pattern::is_place(first.from) && pattern::is_place(first.to) && from != to;
    let alike = steps.iter().enumerate().all(|(i, step)| {
        step.how == first.how
            && file.text_of(step.from) == from
            && file.text_of(step.to) == to
            && step.read == first.read + i as i64
            && step.write == first.write + i as i64
    });
    plain && alike && steps.len() == counter_step as usize
}

//! Parser of the statements of a loop's body as moves of elements.

use crate::hint::pattern;
use crate::java::{SourceFile, SyntaxNode};

/// Kind of move of one element, by source and target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MoveKind {
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

/// One statement of a copying body: kind of move, source, target and offsets.
pub(super) struct CopyStep<'t> {
    pub how: MoveKind,
    pub from: SyntaxNode<'t>,
    pub to: SyntaxNode<'t>,
    /// Offset of the source's index from the counter.
    pub read: i64,
    /// Offset of the target's index from the counter; 0 for relative puts.
    pub write: i64,
}

/// Parses one statement of the body as a move.
pub(super) fn as_copy_step<'t>(
    file: &SourceFile,
    statement: SyntaxNode<'t>,
    counter: &str,
) -> Option<CopyStep<'t>> {
    let expression = pattern::expression(statement)?;
    if let Some((left, right)) = pattern::as_assignment(file, expression) {
        let (to, index) = pattern::as_element(left)?;
        let (how, from, read) = as_element_move(file, right, counter)?;
        let how = if how == MoveKind::ArrayToArray { how } else { MoveKind::BufferToArray };
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
    let (kind, from, read) = as_element_move(file, *argument, counter)?;
    let array = kind == MoveKind::ArrayToArray;
    let how = match (file.text_of(call.name), array) {
        ("put", true) => MoveKind::ArrayToBuffer,
        ("put", false) => MoveKind::BufferToBuffer,
        ("add", true) => MoveKind::ArrayToCollection,
        ("add", false) => MoveKind::CollectionToCollection,
        _ => return None,
    };
    Some(CopyStep { how, from, to: call.object?, read, write: read })
}

/// Parses `from[i + c]` or `from.get(i + c)`.
fn as_element_move<'t>(
    file: &SourceFile,
    node: SyntaxNode<'t>,
    counter: &str,
) -> Option<(MoveKind, SyntaxNode<'t>, i64)> {
    let node = pattern::without_parentheses(node);
    if let Some((array, index)) = pattern::as_element(node) {
        return Some((MoveKind::ArrayToArray, array, pattern::index_offset(file, index, counter)?));
    }
    let call = pattern::as_call(node)?;
    let [index] = call.arguments.as_slice() else { return None };
    let offset = pattern::index_offset(file, *index, counter)?;
    (file.text_of(call.name) == "get").then_some((MoveKind::BufferToBuffer, call.object?, offset))
}

/// Whether the statements move, in order, as many consecutive elements as the counter steps, all
/// from one variable to another.
pub(super) fn is_consecutive_move(
    file: &SourceFile,
    steps: &[CopyStep<'_>],
    counter_step: u32,
) -> bool {
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

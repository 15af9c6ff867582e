//! Reads of fields that lead to the object of a query: `vertices.limit()` reads the field
//! `vertices` each time, and a local variable for the limit saves these reads as well.

use crate::hint::context::PricedForm;
use crate::hint::pattern;
use crate::java::{SourceFile, SyntaxNode};
use crate::operations::{BlockEntry, Operation, OperationCount};

/// Reads of fields in one evaluation of a query.
#[derive(Debug, Clone)]
pub(super) struct ReceiverReads {
    /// Operation and context of one read.
    pub form: PricedForm,
    /// Number of reads.
    pub count: f64,
}

/// Returns the reads of fields that lead to `object`, and the operation of the block that they
/// are; `None` where the object is a local variable, or its reads are not in the block.
pub(super) fn receiver_reads<'b>(
    file: &SourceFile,
    block: &'b BlockEntry,
    object: SyntaxNode<'_>,
) -> Option<(&'b OperationCount, ReceiverReads)> {
    let steps = field_steps(file, object);
    if steps == 0 {
        return None;
    }
    let line = pattern::line(object);
    let mut reads = block.operations.iter().filter(|found| {
        found.line == line
            && found.operation == Operation::FIELD_REFERENCE
            && found.context != "length"
    });
    // An object is read, by whatever instruction.
    let is_object = |found: &&OperationCount| {
        let context = found.context.strip_prefix("static ").unwrap_or(&found.context);
        context.starts_with("read object")
    };
    let read = reads.clone().find(is_object).or_else(|| reads.find(|o| o.context.is_empty()))?;
    Some((read, ReceiverReads { form: read.into(), count: f64::from(steps.min(read.count)) }))
}

/// Number of fields that a variable or field (`a`, `this.a`, `a.b`) reads. A name without a
/// declaration in the file counts as none: it may be a class.
fn field_steps(file: &SourceFile, place: SyntaxNode<'_>) -> u32 {
    let is_field =
        |found: pattern::Declaration<'_>| matches!(found.place, pattern::NameKind::Field);
    match pattern::as_field(place) {
        Some((object, _)) if pattern::is_this(object) => 1,
        Some((object, _)) => 1 + field_steps(file, object),
        None if pattern::is_this(place) => 0,
        None => u32::from(pattern::declaration_of(file, place).is_some_and(is_field)),
    }
}

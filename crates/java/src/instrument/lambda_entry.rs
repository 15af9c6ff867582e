//! Entry probe of a lambda whose body is an expression. A lambda's shape takes part in overload
//! resolution (JLS 15.12.2.1): `() -> f()` fits functions with and without a value, `() -> { return
//! f(); }` only the first sort. So a statement expression stays one.

use crate::java::SyntaxNode;

use super::declared_names::DeclaredNames;
use super::edits::Edits;
use super::placement::ProbeTexts;
use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// Puts the probe of block `index` into the expression body of a lambda.
pub fn place_in_lambda<'t>(
    file: &SourceFile,
    facts: &DeclaredNames<'t>,
    probes: &ProbeTexts<'_>,
    index: usize,
    body: SyntaxNode<'t>,
    edits: &mut Edits,
) -> Result<(), &'static str> {
    match body.kind() {
        kind::ASSIGNMENT_EXPRESSION
        | kind::UPDATE_EXPRESSION
        | kind::OBJECT_CREATION_EXPRESSION => as_value(probes, index, body, edits),
        kind::METHOD_INVOCATION => return call(file, facts, probes, index, body, edits),
        _ => as_block(probes, index, body, "return ", edits),
    }
    Ok(())
}

/// Rewrites `e` to `{ probe; return e; }`.
fn as_block(
    probes: &ProbeTexts<'_>,
    index: usize,
    body: SyntaxNode<'_>,
    word: &str,
    edits: &mut Edits,
) {
    edits.open(body.start_byte(), index, format!("{{ {} {word}", probes.statement(index)));
    edits.close(body.end_byte(), index, "; }");
}

/// Rewrites `e` to `probe(id, e)`, which has e's type and is a statement expression too.
fn as_value(probes: &ProbeTexts<'_>, index: usize, body: SyntaxNode<'_>, edits: &mut Edits) {
    edits.open(body.start_byte(), index, probes.value(index));
    edits.close(body.end_byte(), index, ")");
}

/// Puts the probe into a call: around it, or around its receiver if it may be void.
fn call<'t>(
    file: &SourceFile,
    facts: &DeclaredNames<'t>,
    probes: &ProbeTexts<'_>,
    index: usize,
    body: SyntaxNode<'t>,
    edits: &mut Edits,
) -> Result<(), &'static str> {
    const UNKNOWN: &str = "its lambda is a call, and whether that has a value isn't known";
    if let Some(object) = syntax::field(body, field::OBJECT) {
        if !is_value(file, facts, object) {
            return Err(UNKNOWN);
        }
        as_value(probes, index, object, edits);
        return Ok(());
    }
    let name = syntax::field(body, field::NAME).ok_or(UNKNOWN)?;
    match facts.returns_void(file.text_of(name)) {
        Some(true) => as_block(probes, index, body, "", edits),
        Some(false) => as_value(probes, index, body, edits),
        None => return Err(UNKNOWN),
    }
    Ok(())
}

/// Whether a receiver is surely an expression, and not a type or `super`.
fn is_value(file: &SourceFile, facts: &DeclaredNames<'_>, object: SyntaxNode<'_>) -> bool {
    match object.kind() {
        kind::IDENTIFIER => facts.is_variable(file.text_of(object)),
        kind::METHOD_INVOCATION
        | kind::OBJECT_CREATION_EXPRESSION
        | kind::PARENTHESIZED_EXPRESSION
        | kind::ARRAY_ACCESS
        | kind::STRING_LITERAL
        | kind::THIS => true,
        kind::FIELD_ACCESS => {
            let inner = syntax::field(object, field::OBJECT);
            inner.is_some_and(|inner| is_value(file, facts, inner))
        }
        _ => false,
    }
}

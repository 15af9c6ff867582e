//! Removal of declarations and field values, and default values for those that must stay.

use crate::java::SyntaxNode;
use crate::java::fast_hash::Map;

use super::effects::StatementEffects;
use super::refusal::{NOTHING_TO_REMOVE, Replacement, VARIABLES_NEEDED};
use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// Occurrences of the names of local variables in the code that stays.
pub(super) struct RemainingMentions<'a, 't> {
    pub(super) all: &'a Map<&'t str, usize>,
    pub(super) gone: Map<&'t str, usize>,
}

impl<'t> RemainingMentions<'_, 't> {
    /// Whether the code that stays mentions the local variable `name`.
    pub(super) fn has(&self, name: &str) -> bool {
        let gone = self.gone.get(name).copied().unwrap_or(0);
        self.all.get(name).is_some_and(|count| *count > gone)
    }

    /// Subtracts the `names` of a removed part, or adds them back.
    pub(super) fn mention(&mut self, names: &[&'t str], add: bool) {
        for name in names {
            let count = self.gone.entry(name).or_default();
            *count = if add { count.saturating_sub(1) } else { *count + 1 };
        }
    }
}

/// Returns the edits of a local variable declaration: removal if no code that stays mentions its
/// names, else default values for primitives.
pub(super) fn remove_declaration(
    file: &SourceFile,
    part: SyntaxNode<'_>,
    remaining: &RemainingMentions<'_, '_>,
) -> Result<Vec<Replacement>, &'static str> {
    let declarators = syntax::fields(part, field::DECLARATOR);
    let name_of = |declarator: &SyntaxNode<'_>| {
        syntax::field(*declarator, field::NAME).map_or("", |name| file.text_of(name))
    };
    if !declarators.iter().any(|declarator| remaining.has(name_of(declarator))) {
        return Ok(vec![(part.byte_range(), ";".to_owned())]);
    }
    let mut edits = Vec::new();
    for declarator in declarators {
        let Some(value) = syntax::field(declarator, field::VALUE) else { continue };
        if is_literal(value) {
            continue;
        }
        let default = default_value(file, part, declarator).ok_or(VARIABLES_NEEDED)?;
        edits.push((value.byte_range(), default.to_owned()));
    }
    if edits.is_empty() {
        return Err(VARIABLES_NEEDED);
    }
    // `final int n = 0` would be a constant, and loops could become endless.
    edits.extend(final_modifier(file, part).map(|node| (node.byte_range(), String::new())));
    Ok(edits)
}

fn final_modifier<'t>(file: &SourceFile, declaration: SyntaxNode<'t>) -> Option<SyntaxNode<'t>> {
    let modifiers = syntax::child_of_kind(declaration, kind::MODIFIERS)?;
    syntax::children(modifiers).into_iter().find(|node| file.text_of(*node) == "final")
}

/// Returns the edits that replace a field's value by the default.
pub(super) fn without_value(file: &SourceFile, declarator: SyntaxNode<'_>) -> Vec<Replacement> {
    let declaration = declarator.parent();
    let default = declaration.and_then(|node| default_value(file, node, declarator));
    let value = syntax::field(declarator, field::VALUE);
    let replace =
        |value: SyntaxNode<'_>| (value.byte_range(), default.unwrap_or("null").to_owned());
    value.map(replace).into_iter().collect()
}

pub(super) fn field_value(
    file: &SourceFile,
    class_body: SyntaxNode<'_>,
    declarator: SyntaxNode<'_>,
) -> Result<(), &'static str> {
    let declaration = declarator.parent().ok_or(NOTHING_TO_REMOVE)?;
    if syntax::kind_of(declaration) != kind::FIELD_DECLARATION
        || syntax::kind_of(class_body) == kind::INTERFACE_BODY
        || syntax::has_modifier(declaration, "final", &file.text)
    {
        return Err("it initialises final fields");
    }
    match syntax::field(declarator, field::VALUE) {
        Some(value) if StatementEffects::of(file, value).holds_code => {
            Err("its statements hold lambdas, classes or blocks of their own")
        }
        Some(value) if is_literal(value) => Err(NOTHING_TO_REMOVE),
        Some(_) => Ok(()),
        None => Err(NOTHING_TO_REMOVE),
    }
}

/// Returns the default value of a declared variable of a primitive type.
pub(super) fn default_value(
    file: &SourceFile,
    declaration: SyntaxNode<'_>,
    declarator: SyntaxNode<'_>,
) -> Option<&'static str> {
    if syntax::field(declarator, field::DIMENSIONS).is_some() {
        return None;
    }
    match file.text_of(syntax::field(declaration, field::TYPE)?) {
        "boolean" => Some("false"),
        "byte" | "short" | "char" | "int" | "long" | "float" | "double" => Some("0"),
        _ => None,
    }
}

pub(super) fn is_literal(value: SyntaxNode<'_>) -> bool {
    value.is_leaf()
        && syntax::kind_of(value) != kind::IDENTIFIER
        && syntax::kind_of(value) != kind::THIS
        || syntax::kind_of(value) == kind::STRING_LITERAL
}

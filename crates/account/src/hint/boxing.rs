//! Pattern: boxed numbers in a loop: `Integer sum = 0; ... sum += x` creates an object for every
//! new value.

use std::collections::BTreeSet;

use crate::format::{counted, grouped};
use crate::hint::confidence::Confidence;
use crate::hint::context::{HintContext, PricedOperations};
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{HintPattern, PatternMatch, hint};
use crate::hint::pattern::{self, NameKind};
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::site::LoopSite;
use crate::java::{SourceFile, SyntaxNode};
use crate::operations::LibraryFunction;

/// The pattern `boxing-in-loop`.
pub const PATTERN: HintPattern = HintPattern {
    name: "boxing-in-loop",
    title: "A number is boxed in every iteration: use the primitive type",
    help: "A local variable of type Integer, Long, Float, Double, Short, Byte or Character takes \
           a computed value in a loop: each time its object is unboxed and a new one is made. A \
           variable of the primitive type does neither. The prediction saves a call of valueOf per \
           new value, at the model's price for it or for an average library function.",
    reference: "Bloch, Effective Java, 3rd edition, item 61: prefer primitive types to boxed \
                primitives",
    basis: PredictionBasis::Costs,
    find,
};

/// Box classes with their primitive types.
const BOXES: [(&str, &str); 7] = [
    ("Integer", "int"),
    ("Long", "long"),
    ("Float", "float"),
    ("Double", "double"),
    ("Short", "short"),
    ("Byte", "byte"),
    ("Character", "char"),
];

/// Finds the outermost loops that compute boxed locals.
fn find(context: &HintContext<'_>, sites: &[LoopSite<'_>]) -> Vec<Hint> {
    let mut seen = BTreeSet::new();
    let mut hints = Vec::new();
    for site in sites {
        for (declaration, hint) in hints_at(context, site) {
            if seen.insert((hint.file.clone(), declaration)) {
                hints.push(hint);
            }
        }
    }
    hints
}

/// Hints for the boxed locals that one loop computes, each with the position of the declaration.
fn hints_at(context: &HintContext<'_>, site: &LoopSite<'_>) -> Vec<(usize, Hint)> {
    let file = site.file;
    let mut done = BTreeSet::new();
    let mut hints = Vec::new();
    let parts = site.syntax.update.iter().copied().chain([site.syntax.body]);
    for node in parts.flat_map(pattern::descendants) {
        let Some(name) = computed_name(file, node) else { continue };
        let Some(declared) = pattern::declaration_of(file, name) else { continue };
        let boxed = BOXES.iter().find(|(class, _)| *class == declared.type_text);
        let Some((class, primitive)) = boxed.filter(|_| declared.place == NameKind::Local) else {
            continue;
        };
        let starts_known = declared
            .value
            .is_some_and(|value| pattern::is_literal(value) && !pattern::is_null(value));
        let text = file.text_of(name);
        if starts_known && done.insert(text) && !is_compared_with_null(file, site, text) {
            let hint = boxing_hint(context, site, text, class, primitive);
            hints.extend(hint.map(|hint| (declared.node.start_byte(), hint)));
        }
    }
    hints
}

/// The name that a computed value is assigned to: `x` of `x += 1`, `x++`, `x = x + 1`.
fn computed_name<'t>(file: &SourceFile, node: SyntaxNode<'t>) -> Option<SyntaxNode<'t>> {
    let name = match (pattern::as_step(node), pattern::as_compound(file, node)) {
        (Some(operand), _) => operand,
        (_, Some((left, _, _))) => left,
        _ => {
            let (left, right) = pattern::as_assignment(file, node)?;
            pattern::is_arithmetic(file, pattern::without_parentheses(right)).then_some(left)?
        }
    };
    pattern::is_variable(name).then_some(name)
}

/// Whether the unit compares a name with null or assigns null to it.
fn is_compared_with_null(file: &SourceFile, site: &LoopSite<'_>, name: &str) -> bool {
    let nodes = pattern::descendants(pattern::enclosing_unit(site.syntax.node));
    nodes.into_iter().filter(|node| pattern::is_null(*node)).any(|null| {
        null.parent().is_some_and(|parent| {
            pattern::operands(parent).iter().any(|part| file.text_of(*part) == name)
        })
    })
}

/// Hint for one variable of one loop.
fn boxing_hint(
    context: &HintContext<'_>,
    site: &LoopSite<'_>,
    name: &str,
    class: &str,
    primitive: &str,
) -> Option<Hint> {
    let file = site.file;
    let mut runs = 0u64;
    let parts = site.syntax.update.iter().copied().chain([site.syntax.body]);
    for node in parts.flat_map(pattern::descendants) {
        let own = computed_name(file, node).is_some_and(|found| file.text_of(found) == name);
        if own && !pattern::is_in_other_unit(node, site.syntax.node) {
            runs = runs.saturating_add(context.runs(site.block_at(context, node)));
        }
    }
    if runs < 2 * site.entries(context).max(1) {
        return None;
    }
    let mut saved = PricedOperations::default();
    let value_of = LibraryFunction::new(&format!("java.lang.{class}"), "valueOf");
    context.add(&mut saved, value_of, runs as f64);
    let finding = PatternMatch {
        pattern: PATTERN.name,
        sentence: format!(
            "`{name}` is {} {class}, and takes a new value {}.",
            article(class),
            counted(grouped(runs), "time")
        ),
        advice: format!("Declare `{name}` as {primitive}."),
        rewrite: format!("{primitive} {name} = ...; // instead of {class}"),
        condition: format!("`{name}` is never null, and isn't compared as an object with `==`."),
        saved,
        confidence: Confidence::High,
        automatic_fix: None,
    };
    Some(hint(context, site.body, &site.blocks(), site.lines(), finding))
}

fn article(class: &str) -> &'static str {
    if class == "Integer" { "an" } else { "a" }
}

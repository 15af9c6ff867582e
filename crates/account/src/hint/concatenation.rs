//! Pattern: Strings that grow in a loop: every `+=` copies the whole String.

use std::collections::BTreeSet;

use crate::format::{counted, grouped};
use crate::hint::confidence::Confidence;
use crate::hint::context::{HintContext, PricedOperations};
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{HintPattern, PatternMatch, hint};
use crate::hint::pattern::{self, NameKind};
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::rewrite::fresh_name;
use crate::hint::site::LoopSite;
use crate::java::{SourceFile, SyntaxNode};
use crate::operations::{LibraryFunction, Operation};

/// The pattern `string-in-loop`.
pub const PATTERN: HintPattern = HintPattern {
    name: "string-in-loop",
    title: "A String grows in a loop: use a StringBuilder",
    help: "Adding to a String copies the whole String every time, so the work grows with the \
           square of its length. A StringBuilder copies only what is added. The prediction saves \
           the concatenations and pays for the append calls, or half of a concatenation where the \
           model has no price for them; it doesn't know how long the String is, so long ones save \
           more.",
    reference: "Bloch, Effective Java, 3rd edition, item 63: beware the performance of string \
                concatenation",
    basis: PredictionBasis::Costs,
    find,
};

/// Finds the outermost loops in which a local String grows.
fn find(context: &HintContext<'_>, sites: &[LoopSite<'_>]) -> Vec<Hint> {
    let found: Vec<(Hint, usize)> = sites.iter().flat_map(|site| hints_at(context, site)).collect();
    let mut seen = BTreeSet::new();
    found
        .into_iter()
        .filter(|(hint, declaration)| seen.insert((hint.file.clone(), *declaration)))
        .map(|(hint, _)| hint)
        .collect()
}

/// Hints for the Strings that grow in one loop, each with the position of the declaration.
fn hints_at(context: &HintContext<'_>, site: &LoopSite<'_>) -> Vec<(Hint, usize)> {
    let file = site.file;
    let mut done = BTreeSet::new();
    let mut hints = Vec::new();
    for node in pattern::descendants(site.syntax.body) {
        let Some(name) = grown_name(file, node) else { continue };
        let text = file.text_of(name);
        let Some(declared) = pattern::declaration_of(file, name) else { continue };
        let outside = declared.node.end_byte() <= site.syntax.node.start_byte();
        let local = declared.place != NameKind::Field && declared.type_text == "String";
        if outside && local && done.insert(text) && is_only_appended(site, text) {
            hints.extend(
                growth_hint(context, site, text).map(|hint| (hint, declared.node.start_byte())),
            );
        }
    }
    hints
}

/// The name that `s += x` or `s = s + x` appends to.
fn grown_name<'t>(file: &SourceFile, node: SyntaxNode<'t>) -> Option<SyntaxNode<'t>> {
    if let Some((left, operator, _)) = pattern::as_compound(file, node) {
        return (operator == "+" && pattern::is_variable(left)).then_some(left);
    }
    let (left, right) = pattern::as_assignment(file, node)?;
    let mut first = right;
    while let Some((further, _)) = pattern::as_binary(file, first, &["+"]) {
        first = further;
    }
    let grows = first != right && file.text_of(first) == file.text_of(left);
    (grows && pattern::is_variable(left)).then_some(left)
}

/// Whether the loop only appends to a name, and neither reads nor assigns it otherwise.
fn is_only_appended(site: &LoopSite<'_>, name: &str) -> bool {
    let file = site.file;
    let nodes = pattern::descendants(site.syntax.node);
    let uses = nodes.iter().filter(|n| pattern::is_variable(**n) && file.text_of(**n) == name);
    let growths: usize = nodes
        .iter()
        .filter(|node| grown_name(file, **node).is_some_and(|grown| file.text_of(grown) == name))
        .map(|node| if pattern::as_compound(file, *node).is_some() { 1 } else { 2 })
        .sum();
    uses.count() == growths
}

/// Hint for one String of one loop.
fn growth_hint(context: &HintContext<'_>, site: &LoopSite<'_>, name: &str) -> Option<Hint> {
    let file = site.file;
    let entries = site.entries(context).max(1);
    let mut saved = PricedOperations::default();
    let mut runs = 0u64;
    let mut added = Vec::new();
    for node in pattern::descendants(site.syntax.body) {
        let Some(_) = grown_name(file, node).filter(|grown| file.text_of(*grown) == name) else {
            continue;
        };
        if pattern::is_in_other_unit(node, site.syntax.node) {
            return None;
        }
        let block = site.block_at(context, node);
        let times = context.runs(block);
        runs = runs.saturating_add(times);
        let lines = pattern::line(node)..=file.last_line(node);
        let on_line = |line: u32| lines.contains(&line);
        let found = block.operations.iter().filter(|o| o.operation == Operation::STRING_CONCAT);
        for found in found.filter(|o| on_line(o.line)) {
            let count = times as f64 * f64::from(found.count);
            context.add_found(&mut saved, block, found, count);
            pay_for_appending(context, &mut saved, count);
        }
        added.push(append_calls(file, node, name));
    }
    if saved.counts.0.is_empty() || runs < 2 * entries {
        return None;
    }
    let builder = fresh_name(file, &format!("{name}Builder"));
    let appends: Vec<String> = added.iter().map(|more| format!("    {builder}{more};")).collect();
    let finding = PatternMatch {
        pattern: PATTERN.name,
        sentence: format!(
            "The String `{name}` grows {} in the loop, and is copied each time.",
            counted(grouped(runs), "time")
        ),
        advice: "Append to a StringBuilder, and make the String after the loop.".into(),
        rewrite: format!(
            "StringBuilder {builder} = new StringBuilder({name});\n// in the loop\n{}\n// after it\n{name} = {builder}.toString();",
            appends.join("\n")
        ),
        condition: format!("`{name}` isn't null before the loop."),
        saved,
        confidence: Confidence::High,
        automatic_fix: None,
    };
    Some(hint(context, site.body, &site.blocks(), site.lines(), finding))
}

/// Subtracts the cost of appending: the model's price, else half a concatenation.
fn pay_for_appending(context: &HintContext<'_>, saved: &mut PricedOperations, count: f64) {
    let append = ["java.lang.StringBuilder", "java.lang.AbstractStringBuilder"]
        .map(|class| LibraryFunction::new(class, "append"))
        .into_iter()
        .find(|function| context.has_own_price(function));
    match append {
        Some(append) => context.add(saved, append, -count),
        None => context.add(saved, Operation::STRING_CONCAT, -count / 2.0),
    }
}

/// The calls that append the operands of a statement: `.append(a).append(b)`.
fn append_calls(file: &SourceFile, node: SyntaxNode<'_>, name: &str) -> String {
    if let Some((_, _, right)) = pattern::as_compound(file, node) {
        return format!(".append({})", file.text_of(right));
    }
    let mut parts = Vec::new();
    let mut rest = pattern::as_assignment(file, node).map(|(_, right)| right);
    while let Some((further, last)) = rest.and_then(|rest| pattern::as_binary(file, rest, &["+"])) {
        parts.push(format!(".append({})", file.text_of(last)));
        rest = Some(further).filter(|further| file.text_of(*further) != name);
    }
    parts.reverse();
    parts.concat()
}

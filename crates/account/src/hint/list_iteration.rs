//! Pattern: enhanced `for` over a list in hot code: every iteration makes two iterator calls,
//! where indexed access makes one `get`.

use crate::format::{counted, grouped};
use crate::hint::confidence::Confidence;
use crate::hint::context::{HintContext, PricedOperations};
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{HintPattern, PatternMatch, hint};
use crate::hint::pattern::{self, LoopKind};
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::rewrite::fresh_name;
use crate::hint::site::LoopSite;
use crate::operations::{Feature, LibraryFunction, Operation};

/// The pattern `list-by-iterator`.
pub const PATTERN: HintPattern = HintPattern {
    name: "list-by-iterator",
    title: "Enhanced for over a list: go by index",
    help: "An enhanced for over a list makes an iterator, and calls hasNext and next in every \
           iteration. Over an ArrayList a counter and get(i) do the same with one call. The \
           prediction saves the iterator's calls and pays for get, the counter and its test. Not \
           for a LinkedList, where get(i) goes through the list each time, and not where the loop \
           changes the list. An optimising compiler may do away with the iterator by itself.",
    reference: "Android documentation, Performance tips: hand-written counted loops over an \
                ArrayList are about 3x faster than enhanced for",
    basis: PredictionBasis::Costs,
    find,
};

/// Finds enhanced `for` loops over array lists.
fn find(context: &HintContext<'_>, sites: &[LoopSite<'_>]) -> Vec<Hint> {
    sites.iter().filter_map(|site| hint_at(context, site)).collect()
}

/// Hint for one loop.
fn hint_at(context: &HintContext<'_>, site: &LoopSite<'_>) -> Option<Hint> {
    let file = site.file;
    let list = site.syntax.iterated.filter(|_| site.syntax.kind == LoopKind::Foreach)?;
    let declared = pattern::declaration_of(file, list).filter(|_| pattern::is_place(list))?;
    let made = declared.value.and_then(pattern::as_creation);
    let made = made.map(|made| pattern::created_class(file, &made));
    let confidence = match (pattern::simple_type(&declared.type_text).as_str(), made) {
        ("ArrayList", _) | ("List", Some("ArrayList")) => Confidence::Medium,
        ("List", None) => Confidence::Low,
        _ => return None,
    };
    let text = file.text_of(list);
    let assigned = pattern::written_names(file, site.syntax.body);
    if text.split('.').any(|part| assigned.contains(part)) {
        return None;
    }
    let runs = context.runs(site.body);
    let finding = PatternMatch {
        pattern: PATTERN.name,
        sentence: format!(
            "The loop goes over the list `{text}` by an iterator: {}.",
            counted(grouped(runs), "iteration")
        ),
        advice: "Go by index.".into(),
        rewrite: rewrite(site, text)?,
        condition: condition(text, confidence),
        saved: saved_operations(context, site, runs as f64)?,
        confidence,
        automatic_fix: None,
    };
    Some(hint(context, site.body, &site.blocks(), site.lines(), finding))
}

fn condition(list: &str, confidence: Confidence) -> String {
    let kind = match confidence {
        Confidence::Low => format!("`{list}` is an ArrayList or gives any element as fast. "),
        _ => String::new(),
    };
    format!("{kind}Nothing adds to `{list}` or removes from it while the loop runs.")
}

/// Saving: the iterator's calls, less `get`, the counter and its test.
fn saved_operations(
    context: &HintContext<'_>,
    site: &LoopSite<'_>,
    runs: f64,
) -> Option<PricedOperations> {
    let calls = |method: &str| {
        let call = Feature::from(LibraryFunction::new("java.util.Iterator", method));
        site.body.operations.iter().find(|o| o.operation == call)
    };
    let mut saved = PricedOperations::default();
    for found in [calls("hasNext")?, calls("next")?] {
        context.add_found(&mut saved, site.body, found, runs);
    }
    context.add_known(&mut saved, LibraryFunction::new("java.util.ArrayList", "get"), -runs);
    for form in [(Operation::LESS_INT_INT, "tested"), (Operation::INCREMENT, "local")] {
        context.add_known(&mut saved, form, -runs);
    }
    Some(saved)
}

/// Header of the indexed loop.
fn rewrite(site: &LoopSite<'_>, list: &str) -> Option<String> {
    let file = site.file;
    let (index, size) = (fresh_name(file, "i"), fresh_name(file, "size"));
    let variable = file.text_of(site.syntax.variable?);
    let ty = pattern::element_type(site.syntax.node).map_or("var", |node| file.text_of(node));
    Some(format!(
        "for (int {index} = 0, {size} = {list}.size(); {index} < {size}; {index}++) {{\n    \
         {ty} {variable} = {list}.get({index});\n    // the body as before\n}}"
    ))
}

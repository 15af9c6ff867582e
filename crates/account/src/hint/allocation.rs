//! Pattern: objects and arrays that every iteration creates anew although only that iteration
//! uses them; one created before the loop suffices.

use crate::format::{counted, grouped};
use crate::hint::confidence::Confidence;
use crate::hint::context::{HintContext, PricedOperations};
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{HintPattern, PatternMatch, hint};
use crate::hint::invariant::is_stable;
use crate::hint::pattern::{self, Creation};
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::site::LoopSite;
use crate::java::{SourceFile, SyntaxNode};
use crate::operations::{Feature, LibraryFunction, Operation, OperationCount};

/// The pattern `allocation-in-loop`.
pub const PATTERN: HintPattern = HintPattern {
    name: "allocation-in-loop",
    title: "Made anew in every iteration: make it once before the loop",
    help: "The loop makes an array, a StringBuilder or a collection in every iteration, and it \
           leaves the iteration in no way that the source shows. One made before the loop and \
           cleared in every iteration does the same. The prediction saves the creations but one \
           per entry of the loop; the garbage collector's share comes on top. An optimising \
           compiler may put small ones on the stack by itself.",
    reference: "Android documentation, Performance tips: avoid creating unnecessary objects",
    basis: PredictionBasis::Costs,
    find,
};

/// Classes whose objects can be emptied, with the call that does it.
const CLEARED: [(&str, &str); 11] = [
    ("StringBuilder", "setLength(0)"),
    ("StringBuffer", "setLength(0)"),
    ("ArrayList", "clear()"),
    ("LinkedList", "clear()"),
    ("ArrayDeque", "clear()"),
    ("HashMap", "clear()"),
    ("LinkedHashMap", "clear()"),
    ("TreeMap", "clear()"),
    ("HashSet", "clear()"),
    ("LinkedHashSet", "clear()"),
    ("TreeSet", "clear()"),
];

/// Finds local creations in loops that can be reused.
fn find(context: &HintContext<'_>, sites: &[LoopSite<'_>]) -> Vec<Hint> {
    sites.iter().flat_map(|site| hints_at(context, site)).collect()
}

/// Hints for the creations directly in one loop.
fn hints_at(context: &HintContext<'_>, site: &LoopSite<'_>) -> Vec<Hint> {
    let locals = pattern::descendants(site.syntax.body).into_iter().flat_map(pattern::as_locals);
    locals
        .filter_map(|(_, name, value)| {
            let value = pattern::without_parentheses(value?);
            let made = pattern::as_creation(value)?;
            let inside = site.is_directly_in(value);
            let once = inside && stays_inside(site, name, &made);
            once.then(|| reuse_hint(context, site, name, value, &made))?
        })
        .collect()
}

/// How an object or array can be reused in the next iteration.
enum Reuse {
    /// An array of constants that is never written: created once, unchanged.
    AsItIs,
    /// An array whose elements are written before they are read.
    Overwritten,
    /// An array whose initial zeros are read or added to: filled anew by this call.
    Refilled(String),
    /// An object that this call empties.
    Cleared(&'static str),
}

/// The hint for one creation.
fn reuse_hint(
    context: &HintContext<'_>,
    site: &LoopSite<'_>,
    name: SyntaxNode<'_>,
    value: SyntaxNode<'_>,
    made: &Creation<'_>,
) -> Option<Hint> {
    let file = site.file;
    let reuse = find_reuse(context, site, name, made)?;
    let block = site.block_at(context, value);
    let runs = context.runs(block);
    let entries = site.entries(context).max(1);
    if runs < 2 * entries {
        return None;
    }
    let line = pattern::line(value);
    let operation = if made.is_array { Operation::NEW_ARRAY } else { Operation::NEW_OBJECT };
    let class = pattern::created_class(file, made);
    let is_part = |o: &&OperationCount| {
        let is_made = match &o.operation {
            Feature::Operation(own) => *own == operation,
            Feature::Library(function) => is_constructor(function, class),
        };
        o.line == line && is_made
    };
    let mut saved = PricedOperations::default();
    for found in block.operations.iter().filter(is_part) {
        context.add_found(&mut saved, block, found, (runs - entries) as f64);
    }
    if saved.counts.0.is_empty() {
        return None;
    }
    if matches!(reuse, Reuse::Refilled(_)) {
        pay_for_filling(context, &mut saved, runs as f64);
    }
    let text = file.text_of(name);
    let declaration = format!("{} {text} = {};", type_text(file, name), file.text_of(value));
    let (advice, rewrite, condition, confidence) = reuse_texts(&reuse, text, &declaration);
    let finding = PatternMatch {
        pattern: PATTERN.name,
        sentence: format!(
            "`{}` is made {} for {} of the loop.",
            file.text_of(value).lines().next().unwrap_or_default(),
            counted(grouped(runs), "time"),
            counted(grouped(entries), "entry")
        ),
        advice,
        rewrite,
        condition,
        saved,
        confidence,
        automatic_fix: None,
    };
    Some(hint(context, block, &site.blocks(), (line, file.last_line(value)), finding))
}

/// Whether a function is a constructor of a class with this simple name.
fn is_constructor(function: &LibraryFunction, class: &str) -> bool {
    let package = function.owner().strip_suffix(class);
    function.method() == "<init>" && package.is_some_and(|package| package.ends_with('.'))
}

/// Subtracts the cost of filling arrays: the model's price, else half a creation.
fn pay_for_filling(context: &HintContext<'_>, saved: &mut PricedOperations, count: f64) {
    let fill = LibraryFunction::new("java.util.Arrays", "fill");
    match context.has_own_price(&fill) {
        true => context.add(saved, fill, -count),
        false => context.add(saved, Operation::NEW_ARRAY, -count / 2.0),
    }
}

/// Advice, rewrite, condition and confidence for a way of reuse.
fn reuse_texts(
    reuse: &Reuse,
    name: &str,
    declaration: &str,
) -> (String, String, String, Confidence) {
    match reuse {
        Reuse::AsItIs => (
            "Make it once before the loop.".into(),
            format!("final {declaration} // before the loop"),
            format!("Nothing writes into `{name}`."),
            Confidence::High,
        ),
        Reuse::Overwritten => (
            "Make it once before the loop.".into(),
            format!("{declaration} // before the loop"),
            format!(
                "Every iteration writes the elements of `{name}` before it reads them; else fill \
                 it with zeros first."
            ),
            Confidence::Medium,
        ),
        Reuse::Refilled(fill) => (
            "Make it once before the loop, and fill it with zeros in every iteration.".into(),
            format!("{declaration} // before the loop\n{fill} // in the loop, in its place"),
            format!("`{name}` is small, or filling it is cheaper than making it."),
            Confidence::Low,
        ),
        Reuse::Cleared(call) => (
            "Make it once before the loop, and empty it in every iteration.".into(),
            format!(
                "{declaration} // before the loop\n{name}.{call}; // in the loop, in its place"
            ),
            format!("What `{name}` is asked for keeps no hold of it (a view, an iterator)."),
            Confidence::Medium,
        ),
    }
}

/// Declared type of a local.
fn type_text(file: &SourceFile, name: SyntaxNode<'_>) -> String {
    let declared = pattern::declaration_of(file, name);
    declared.map_or_else(|| "var".into(), |declared| declared.type_text)
}

/// How a creation can be reused; `None` where it depends on the iteration.
fn find_reuse(
    context: &HintContext<'_>,
    site: &LoopSite<'_>,
    name: SyntaxNode<'_>,
    made: &Creation<'_>,
) -> Option<Reuse> {
    if !made.is_array {
        let class = pattern::created_class(site.file, made);
        let (_, call) = CLEARED.iter().find(|(known, _)| *known == class)?;
        return made.arguments.is_empty().then_some(Reuse::Cleared(call));
    }
    if let Some(elements) = &made.elements {
        let constant = elements.iter().all(|element| pattern::is_literal(*element));
        let unwritten = uses_of_local(site, name).into_iter().all(pattern::is_read_only);
        return (constant && unwritten && !elements.is_empty()).then_some(Reuse::AsItIs);
    }
    let lengths = made.arguments.iter().all(|length| is_stable(context, site, *length));
    if !lengths || made.arguments.len() != 1 {
        return None;
    }
    if starts_by_writing(site, name) {
        return Some(Reuse::Overwritten);
    }
    let zero = match site.file.text_of(made.ty) {
        "boolean" => "false",
        "byte" => "(byte) 0",
        "short" => "(short) 0",
        "char" => "(char) 0",
        "int" | "long" | "float" | "double" => "0",
        _ => "null",
    };
    Some(Reuse::Refilled(format!("java.util.Arrays.fill({}, {zero});", site.file.text_of(name))))
}

/// Whether the first use of an array assigns an element unconditionally, with a value that does
/// not come from the array.
fn starts_by_writing(site: &LoopSite<'_>, name: SyntaxNode<'_>) -> bool {
    let uses = uses_of_local(site, name);
    let first = uses.iter().min_by_key(|node| node.start_byte());
    let Some(element) = first.and_then(SyntaxNode::parent) else { return false };
    let assignment = element.parent().and_then(|parent| {
        let (left, right) = pattern::as_assignment(site.file, parent)?;
        (pattern::as_element(element).is_some() && left == element).then_some(right)
    });
    let fresh = assignment.is_some_and(|right| {
        !uses.iter().any(|node| right.byte_range().contains(&node.start_byte()))
    });
    fresh && !pattern::is_guarded(element, site.syntax.node)
}

/// Uses of a local in the loop, without its declaration.
fn uses_of_local<'t>(site: &LoopSite<'t>, name: SyntaxNode<'_>) -> Vec<SyntaxNode<'t>> {
    let text = site.file.text_of(name);
    let nodes = pattern::descendants(site.syntax.body).into_iter();
    nodes.filter(|n| pattern::is_variable(*n) && site.file.text_of(*n) == text).collect()
}

/// Whether a local's object provably stays in its iteration: its only uses are element accesses,
/// its length, and calls on it.
fn stays_inside(site: &LoopSite<'_>, name: SyntaxNode<'_>, made: &Creation<'_>) -> bool {
    let uses = uses_of_local(site, name);
    let harmless = |node: &SyntaxNode<'_>| {
        let Some(parent) = node.parent() else { return false };
        if pattern::is_in_other_unit(*node, site.syntax.node) {
            return false;
        }
        let element = pattern::as_element(parent).is_some_and(|(array, _)| array == *node);
        let field = pattern::as_field(parent).is_some_and(|(object, _)| object == *node);
        let call = pattern::as_call(parent).is_some_and(|call| {
            call.object == Some(*node)
                && is_detached_result(site.file, parent, site.file.text_of(call.name))
        });
        element || field || (call && !made.is_array)
    };
    !uses.is_empty() && uses.iter().all(harmless)
}

/// Whether a call's result is neither the object nor a view of it: unused, a number or a String.
fn is_detached_result(file: &SourceFile, call: SyntaxNode<'_>, method: &str) -> bool {
    const PLAIN: [&str; 12] = [
        "toString",
        "length",
        "size",
        "isEmpty",
        "contains",
        "containsKey",
        "charAt",
        "indexOf",
        "get",
        "join",
        "getOrDefault",
        "setLength",
    ];
    if PLAIN.contains(&method) {
        return true;
    }
    let mut outer = call;
    while let Some(parent) = outer.parent() {
        match pattern::as_call(parent) {
            Some(next) if next.object == Some(outer) => {
                if PLAIN.contains(&file.text_of(next.name)) {
                    return true;
                }
                outer = parent;
            }
            _ => return pattern::expression(parent) == Some(outer),
        }
    }
    false
}

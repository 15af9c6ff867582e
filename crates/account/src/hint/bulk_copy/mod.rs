//! Pattern: element-by-element copies that one bulk call replaces: buffers, arrays, collections.
//!
//! Program 1 of Li & Gallagher is the model case: a loop that makes 80.9 % of a
//! scenario (the bound); with `put(FloatBuffer)` instead they measured 50.2 % less.
//! The prediction saves all but what the bulk call costs: between nothing and what the
//! element moves cost now (library calls, element references). Its interval holds both.

mod call;
mod elements;
mod step;

use crate::account::Interval;
use crate::format::{self, grouped};
use crate::hint::bulk_copy::call::{RewriteNames, add_all, bulk_call_name};
use crate::hint::bulk_copy::elements::{ElementCertainty, moved_elements};
use crate::hint::bulk_copy::step::{CopyStep, MoveKind, as_copy_step, is_consecutive_move};
use crate::hint::confidence::Confidence;
use crate::hint::context::{EnergyAmount, HintContext};
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{HintPattern, PatternMatch, hint};
use crate::hint::invariant::is_stable;
use crate::hint::pattern::{self, LoopCounter, LoopKind};
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::rewrite::{Edit, Rewrite, fresh_name, indent};
use crate::hint::site::LoopSite;
use crate::operations::{LibraryFunction, Operation, OperationCount};
use crate::units::Joules;

/// The pattern `bulk-copy`.
pub const PATTERN: HintPattern = HintPattern {
    name: "bulk-copy",
    title: "Element-by-element copy: one bulk call does it",
    help: "The loop moves elements one by one from one buffer, array or collection to another. \
           The library has a call that moves all of them (put(FloatBuffer), System.arraycopy, \
           addAll): no loop header, no index arithmetic, and bounds are checked once. What that \
           call costs isn't known: the prediction takes half of what the moves cost now, and its \
           interval reaches from all of it to nothing. The bound is the whole loop.",
    reference: "Li & Gallagher, Program 1 with put(FloatBuffer): bounded by 80.9 %, 50.2 % measured",
    basis: PredictionBasis::Costs,
    find,
};

/// Finds copying loops.
fn find(context: &HintContext<'_>, sites: &[LoopSite<'_>]) -> Vec<Hint> {
    sites
        .iter()
        .filter_map(|site| match site.syntax.kind {
            LoopKind::For => counted_copy_hint(context, site),
            LoopKind::Foreach => foreach_copy_hint(context, site),
            LoopKind::While | LoopKind::Do => None,
        })
        .collect()
}

/// The rewrite of one copying loop.
struct CopyRewrite<'s> {
    how: MoveKind,
    names: RewriteNames<'s>,
    rewrite: String,
    condition: String,
    certainty: ElementCertainty,
    /// Whether all of the rewrite provably has the right types.
    is_typed: bool,
}

/// Hint for a counting loop whose statements move consecutive elements.
fn counted_copy_hint(context: &HintContext<'_>, site: &LoopSite<'_>) -> Option<Hint> {
    let file = site.file;
    let counter = pattern::counter(file, &site.syntax).filter(|counter| counter.declared)?;
    let statements = pattern::statements(site.syntax.body);
    let steps: Option<Vec<CopyStep<'_>>> =
        statements.iter().map(|statement| as_copy_step(file, *statement, &counter.name)).collect();
    let steps = steps.filter(|steps| is_consecutive_move(file, steps, counter.step))?;
    let first = steps.first()?;
    let (start, bound) = pattern::counter_ends(file, &site.syntax, &counter)?;
    if !is_stable(context, site, bound) || !is_stable(context, site, start) {
        return None;
    }
    let elements = moved_elements(site, first)?;
    let names = rewrite_names(site, first, &elements.class);
    let rewrite = call::rewrite(first, &counter, &names);
    let whole_steps = counter.step == 1
        || [".limit()", ".length"]
            .iter()
            .any(|end| counter.bound == format!("{}{end}", names.from));
    let copy = CopyRewrite {
        how: first.how,
        rewrite,
        condition: condition(first, &names, &counter, elements.certainty),
        certainty: elements.certainty,
        is_typed: whole_steps && pattern::is_int(file, start) && pattern::is_int(file, bound),
        names,
    };
    Some(copy_hint(context, site, copy))
}

/// Hint for a loop of the form `for (T x : from) to.add(x);`.
fn foreach_copy_hint(context: &HintContext<'_>, site: &LoopSite<'_>) -> Option<Hint> {
    let statements = pattern::statements(site.syntax.body);
    let [only] = statements.as_slice() else { return None };
    let call = pattern::as_call(pattern::expression(*only)?)?;
    let [argument] = call.arguments.as_slice() else { return None };
    let (to, from) = (call.object?, site.syntax.iterated?);
    let file = site.file;
    let adds = file.text_of(call.name) == "add"
        && file.text_of(*argument) == file.text_of(site.syntax.variable?);
    let plain = pattern::is_place(to) && pattern::is_place(from);
    if !adds || !plain || file.text_of(to) == file.text_of(from) {
        return None;
    }
    let calls_next =
        |call: &LibraryFunction| call.owner().ends_with("Iterator") && call.method() == "next";
    let mut operations = site.body.operations.iter();
    let iterates = operations.any(|o| o.operation.library().is_some_and(calls_next));
    let how = if iterates { MoveKind::CollectionToCollection } else { MoveKind::ArrayToCollection };
    let first = CopyStep { how, from, to, read: 0, write: 0 };
    let elements = moved_elements(site, &first)?;
    let names = rewrite_names(site, &first, &elements.class);
    let copy = CopyRewrite {
        how,
        rewrite: add_all(how, &names),
        condition: format!("`{}` and `{}` must be different collections.", names.to, names.from),
        certainty: elements.certainty,
        is_typed: true,
        names,
    };
    Some(copy_hint(context, site, copy))
}

/// Names of a rewrite: the user's, qualified where the file lacks an import.
fn rewrite_names<'s>(
    site: &LoopSite<'s>,
    first: &CopyStep<'s>,
    class: &'s str,
) -> RewriteNames<'s> {
    let file = site.file;
    let imports = |name: &str| {
        [format!("import java.util.{name};"), "import java.util.*;".into()]
            .iter()
            .any(|line| file.text.contains(line.as_str()))
    };
    let all = imports("Collections") && imports("Arrays");
    RewriteNames {
        from: file.text_of(first.from),
        to: file.text_of(first.to),
        class,
        view: fresh_name(file, "source"),
        package: if all { "" } else { "java.util." },
    }
}

/// The hint for one loop.
fn copy_hint(context: &HintContext<'_>, site: &LoopSite<'_>, copy: CopyRewrite<'_>) -> Hint {
    let CopyRewrite { how, names, rewrite, .. } = copy;
    let blocks = site.blocks();
    let finding = PatternMatch {
        pattern: PATTERN.name,
        sentence: format!(
            "The loop copies `{}` to `{}` element by element: {}.",
            names.from,
            names.to,
            format::counted(grouped(context.runs(site.body)), "iteration")
        ),
        advice: format!("Replace the loop by one call of {}.", bulk_call_name(how, &names)),
        automatic_fix: (copy.is_typed && copy.certainty == ElementCertainty::Known)
            .then(|| loop_replacement(site, &rewrite, names.view)),
        rewrite,
        condition: copy.condition,
        saved: context.count_operations(&blocks, |operation| !is_move(operation, how)),
        confidence: match copy.certainty {
            ElementCertainty::Known => Confidence::High,
            ElementCertainty::Probable => Confidence::Medium,
        },
    };
    let made = hint(context, site.body, &blocks, site.lines(), finding);
    Hint { saving: saving_between(&made.saving, &made.bound), ..made }
}

/// Saving between that of a bulk call as costly as the single moves, and of one that is free; the
/// interval covers both.
fn saving_between(least: &EnergyAmount, most: &EnergyAmount) -> EnergyAmount {
    let middle = |a: f64, b: f64| (a + b) / 2.0;
    let interval = least.interval.zip(most.interval);
    EnergyAmount {
        energy: Joules(middle(least.energy.0, most.energy.0)),
        interval: interval.map(|(least, most)| Interval { lo: least.lo, hi: most.hi }),
        share: least.share.zip(most.share).map(|(least, most)| middle(least, most)),
    }
}

/// The edit: the statements in place of the loop, in braces where only one may be.
fn loop_replacement(site: &LoopSite<'_>, rewrite: &str, view: String) -> Rewrite {
    let (root, among_others) = pattern::outermost_statement(site.syntax.node);
    let indent = indent(site.file, root);
    let lines = rewrite.replace('\n', &format!("\n{indent}"));
    let several = rewrite.contains('\n') && !rewrite.starts_with("if ");
    let text = if several && !among_others { format!("{{ {lines} }}") } else { lines };
    let edits = vec![Edit { range: root.byte_range(), text }];
    Rewrite { edits, names: vec![view], ..Rewrite::default() }
}

/// Whether an operation is the move of an element, which the bulk call still executes.
fn is_move(operation: &OperationCount, how: MoveKind) -> bool {
    let calls = |class: &str, methods: &[&str]| {
        operation
            .operation
            .library()
            .is_some_and(|call| call.owner().ends_with(class) && methods.contains(&call.method()))
    };
    match how {
        MoveKind::ArrayToArray => operation.operation == Operation::ARRAY_REFERENCE,
        MoveKind::CollectionToCollection | MoveKind::ArrayToCollection => calls("", &["add"]),
        _ => calls("Buffer", &["get", "put"]),
    }
}

/// Condition under which the bulk call is equivalent to the loop.
fn condition(
    first: &CopyStep<'_>,
    names: &RewriteNames<'_>,
    counter: &LoopCounter,
    certainty: ElementCertainty,
) -> String {
    let RewriteNames { from, to, .. } = names;
    let mut text = match first.how {
        MoveKind::BufferToBuffer | MoveKind::ArrayToBuffer | MoveKind::BufferToArray => {
            format!("`{from}` and `{to}` must not share memory.")
        }
        MoveKind::ArrayToArray if first.read >= first.write => {
            format!("Neither `{from}` nor `{to}` is null.")
        }
        MoveKind::ArrayToArray => format!(
            "`{from}` and `{to}` must be different arrays: arraycopy moves as if through a copy, \
             the loop doesn't."
        ),
        MoveKind::CollectionToCollection | MoveKind::ArrayToCollection => {
            format!("`{from}` and `{to}` must be different collections.")
        }
    };
    if certainty == ElementCertainty::Probable {
        text += &format!(" `{from}` and `{to}` must have the same element type.");
    }
    if counter.step != 1 {
        text += &format!(
            " The number of elements is a multiple of {}, as the loop needs it too.",
            counter.step
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::sample;
    use crate::hint::hints_of_program_1;

    /// The paper's Program 1 comes first, bounded by 80.9 % of the scenario.
    #[test]
    fn program_1_is_the_first_hint() {
        let hints = hints_of_program_1(sample::PROGRAM_1);
        let first = &hints[0];
        assert_eq!((first.pattern, first.confidence), (PATTERN.name, Confidence::High));
        assert_eq!((first.start_line, first.end_line), (5, 9));
        assert_eq!(
            first.rewrite,
            "FloatBuffer source = vertices.duplicate();\nsource.position(0);\nout.put(source);"
        );
        assert_eq!(format!("{:.1}", first.bound.share.unwrap() * 100.0), "80.9");
        // All but half of the library's put and get, 4224 of its 4929 calls.
        let moves = 13.3 / 100.1 * 4224.0 / 4929.0;
        assert!((first.saving.share.unwrap() - 0.809 * (1.0 - moves / 2.0)).abs() < 1e-9);
        let (lo, hi) = first.saving.share_interval().unwrap();
        assert!(lo < 0.809 * (1.0 - moves) && 0.809 < hi && hi < 1.0 + 1e-9, "{lo} {hi}");
        assert!(hints.iter().any(|hint| hint.pattern == "loop-invariant"), "limit() in the test");
    }
}

//! Pattern: small loop bodies: unrolling by 8 runs the header an eighth as often.
//!
//! The prediction is the paper's: Boolean operations and assignments of the header fall
//! by 7/8; additions stay (their work moves into the copies' indices), and so, to be on
//! the careful side, do jumps and library calls. Li & Gallagher's Program 1, as 80.9 %
//! of its scenario: 704 iterations become 88, predicted 26.3 %, measured 25.8 %.

use crate::account::OperationClass;
use crate::format::{counted, grouped};
use crate::hint::confidence::Confidence;
use crate::hint::context::{HintContext, PricedOperations};
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{HintPattern, PatternMatch, hint};
use crate::hint::pattern::{self, LoopCounter};
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::site;
use crate::hint::site::LoopSite;

/// Iterations that are merged into one.
const FACTOR: u64 = 8;
/// Largest number of operations in a small body.
const LARGEST_BODY: u32 = 16;

/// The pattern `unroll-loop`.
pub const PATTERN: HintPattern = HintPattern {
    name: "unroll-loop",
    title: "Small loop body: unroll it",
    help: "The header of a counting loop (test, assignment, jump) runs once per iteration. \
           Where the body is small, the header is much of the energy. Eight copies of the body \
           per iteration let the header run an eighth as often. The prediction counts the \
           header's Boolean operations and assignments only. An optimising compiler may unroll \
           hot loops by itself: measure before and after.",
    reference: "Li & Gallagher, Program 1 unrolled by 8: 26.3 % predicted, 25.8 % measured",
    basis: PredictionBasis::Costs,
    find,
};

/// Finds small counting loops that iterate at least 16 times per entry.
fn find(context: &HintContext<'_>, sites: &[LoopSite<'_>]) -> Vec<Hint> {
    sites.iter().filter_map(|site| hint_at(context, site)).collect()
}

/// Hint for one loop.
fn hint_at(context: &HintContext<'_>, site: &LoopSite<'_>) -> Option<Hint> {
    let counter = pattern::counter(site.file, &site.syntax)?;
    let operations: u32 = site.body.operations.iter().map(|operation| operation.count).sum();
    let (iterations, entries) = (context.runs(site.body), site.entries(context));
    // A call of other code makes the header small beside the body, however short it looks.
    let calls = site.can_run_unknown_code();
    let small = operations <= LARGEST_BODY && pattern::is_straight(site.syntax.body) && !calls;
    if !small || iterations < 2 * FACTOR * entries.max(1) {
        return None;
    }
    let per_entry = iterations / entries.max(1);
    let finding = PatternMatch {
        pattern: PATTERN.name,
        sentence: format!(
            "The body has {}, and its header runs {}: {} per entry of the loop.",
            counted(operations, "operation"),
            counted(grouped(iterations), "time"),
            counted(grouped(per_entry), "iteration")
        ),
        advice: format!(
            "Unroll by {FACTOR}: {} per entry become {}.",
            counted(grouped(per_entry), "iteration"),
            grouped(per_entry / FACTOR)
        ),
        rewrite: rewrite(site, &counter),
        condition: format!(
            "The original loop stays behind it for the rest, so any number of iterations is \
             right; `{}` must not change in the loop.",
            counter.bound
        ),
        saved: saved_operations(context, site, iterations - iterations / FACTOR),
        confidence: Confidence::Medium,
        automatic_fix: None,
    };
    Some(hint(context, site.body, &site.blocks(), site.lines(), finding))
}

/// Saving: Boolean operations and assignments of the header that no longer run.
fn saved_operations(
    context: &HintContext<'_>,
    site: &LoopSite<'_>,
    iterations: u64,
) -> PricedOperations {
    let mut saved = PricedOperations::default();
    for block in [site.test, site.update].into_iter().flatten() {
        for operation in &block.operations {
            if site::has_class(operation, &[OperationClass::Boolean, OperationClass::Assignment]) {
                let count = iterations as f64 * f64::from(operation.count);
                context.add_found(&mut saved, block, operation, count);
            }
        }
    }
    saved
}

/// The unrolled loop with its first copies as source text.
fn rewrite(site: &LoopSite<'_>, counter: &LoopCounter) -> String {
    let LoopCounter { name, start, bound, step, declared, .. } = counter;
    let less = if counter.inclusive { "<=" } else { "<" };
    let last = u64::from(*step) * (FACTOR - 1);
    let ahead = u64::from(*step) * FACTOR;
    let statements = pattern::statements(site.syntax.body);
    let body: Vec<&str> = statements.iter().map(|node| site.file.text_of(*node)).collect();
    let body = body.join("\n    ");
    let first = match declared {
        true => format!("int {name} = {start};"),
        false => format!("{name} = {start};"),
    };
    format!(
        "{first}\nfor (; {name} + {last} {less} {bound}; {name} += {ahead}) {{\n    \
         {body}\n    // the same for {name} + {step}, {name} + {}, ... {name} + {last}\n}}\n\
         for (; {name} {less} {bound}; {name} += {step}) {{ /* the rest, as before */ }}",
        step * 2
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::sample;
    use crate::hint::hints_of_program_1;

    /// models.md's check: 80.9 % x (20.5 + 16.7 %) x 7/8 = 26.3 %.
    #[test]
    fn program_1_is_predicted_as_in_the_paper() {
        let hints = hints_of_program_1(sample::PROGRAM_1);
        let unroll = hints.iter().find(|hint| hint.pattern == PATTERN.name).unwrap();
        let percent = unroll.saving.share.unwrap() * 100.0;
        assert_eq!(format!("{percent:.1}"), "26.3");
        assert_eq!(format!("{:.1}", unroll.bound.share.unwrap() * 100.0), "80.9");
        assert!(unroll.advice.contains("704 iterations per entry become 88"), "{}", unroll.advice);
        let (lo, hi) = unroll.saving.share_interval().unwrap();
        assert!(lo < 0.263 && 0.263 < hi, "{lo} {hi}");
        assert!(
            unroll.rewrite.contains("i + 21 < vertices.limit(); i += 24"),
            "{}",
            unroll.rewrite
        );
    }
}

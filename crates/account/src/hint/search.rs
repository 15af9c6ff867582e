//! Search for hints: every pattern on every loop with enough energy.

use std::collections::BTreeMap;

use crate::hint::board_ratios::BoardRatios;
use crate::hint::context::{HintContext, HintInput};
use crate::hint::found_hints::FoundHints;
use crate::hint::hint::Hint;
use crate::hint::listing::{HintOptions, UnshownPlaces, is_at_least, is_worth_listing};
use crate::hint::registry::PATTERNS;
use crate::hint::{diff, inline_call, site};

/// Searches for hints, sorted by descending significant saving (`Hint::sure_saving_j`); those
/// without an interval come last, by their saving. `board` has measured savings of rewrites.
pub fn hints(input: HintInput<'_>, board: BoardRatios, options: &HintOptions) -> FoundHints {
    let context = HintContext::new(input);
    let mut sites = site::loop_sites(&context);
    sites.retain(|site| {
        let all = context.count_operations(&site.blocks(), |_| true);
        is_at_least(&context.amount(&all), options.least_bound)
    });
    let mut found: Vec<Hint> =
        PATTERNS.iter().flat_map(|pattern| (pattern.find)(&context, &sites)).collect();
    found.retain(|hint| is_at_least(&hint.bound, options.least_bound));
    let mut unshown: BTreeMap<&str, UnshownPlaces> = BTreeMap::new();
    found.retain(|hint| {
        let shown = is_worth_listing(&hint.saving, options);
        if !shown {
            unshown.entry(hint.pattern).or_default().add(&hint.saving, options);
        }
        shown
    });
    for hint in &mut found {
        hint.by_costs = hint.saving;
        hint.diff = diff::diff_of_hint(hint, input.sources);
        hint.callers = inline_call::callers(&context, hint);
    }
    FoundHints::of(found, unshown, board, *options)
}

//! The search: every pattern on every loop that matters.

use std::collections::BTreeMap;

use crate::hint::counted::{Context, HintInput};
use crate::hint::found::FoundHints;
use crate::hint::hint::Hint;
use crate::hint::on_board::BoardRatios;
use crate::hint::registry::PATTERNS;
use crate::hint::shown::{HintOptions, UnshownPlaces, is_shown, reaches};
use crate::hint::{diff, inline_call, site};

/// All hints, largest certain saving first ([`Hint::sure_saving_j`]); those without an
/// interval stand last, by their saving. `board` is what rewrites save where that was measured.
pub fn hints(input: HintInput<'_>, board: BoardRatios, options: &HintOptions) -> FoundHints {
    let context = Context::new(input);
    let mut sites = site::sites(&context);
    sites.retain(|site| {
        let all = context.counted(&site.blocks(), |_| true);
        reaches(&context.amount(&all), options.least_bound)
    });
    let mut found: Vec<Hint> =
        PATTERNS.iter().flat_map(|pattern| (pattern.find)(&context, &sites)).collect();
    found.retain(|hint| reaches(&hint.bound, options.least_bound));
    let mut unshown: BTreeMap<&str, UnshownPlaces> = BTreeMap::new();
    found.retain(|hint| {
        let shown = is_shown(&hint.saving, options);
        if !shown {
            unshown.entry(hint.pattern).or_default().add(&hint.saving, options);
        }
        shown
    });
    for hint in &mut found {
        hint.by_costs = hint.saving;
        hint.diff = diff::of_hint(hint, input.sources);
        hint.callers = inline_call::callers(&context, hint);
    }
    FoundHints::of(found, unshown, board, *options)
}

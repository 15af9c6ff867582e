//! Which hints are worth showing, and in which order.

use std::cmp::Ordering;

use crate::hint::counted::Amount;
use crate::hint::hint::Hint;
use crate::units::Joules;

/// Which hints are worth showing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HintOptions {
    /// Least part of the scenario that the place must spend, 0..1.
    pub least_bound: f64,
    /// Least part of the scenario that must be saved, 0..1.
    pub least_saving: f64,
    /// Whether hints whose interval holds zero are kept.
    pub may_save_nothing: bool,
}

impl Default for HintOptions {
    /// Places of at least 1 %, savings of at least 0.1 % whose interval lies above zero.
    fn default() -> Self {
        HintOptions { least_bound: 0.01, least_saving: 0.001, may_save_nothing: false }
    }
}

/// Whether an amount is at least this share of the scenario, 0..1.
pub(super) fn reaches(amount: &Amount, least: f64) -> bool {
    amount.share.is_some_and(|share| share >= least)
}

/// Hot places of known patterns that are no hints by the costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct UnshownPlaces {
    /// Their savings can't be told from none.
    pub uncertain: usize,
    /// Their savings are small.
    pub small: usize,
}

impl UnshownPlaces {
    /// Takes up one that isn't shown.
    pub fn add(&mut self, saving: &Amount, options: &HintOptions) {
        match reaches(saving, options.least_saving) {
            true => self.uncertain += 1,
            false => self.small += 1,
        }
    }
}

/// Whether a saving is worth showing.
pub(super) fn is_shown(saving: &Amount, options: &HintOptions) -> bool {
    reaches(saving, options.least_saving) && (options.may_save_nothing || !may_be_nothing(saving))
}

/// Whether a hint is worth showing on the board at hand.
pub(super) fn is_shown_here(hint: &Hint, options: &HintOptions) -> bool {
    let measured = hint.measured.and_then(|measured| measured.saving.interval);
    let is_known = hint.predicted().is_some() || measured.is_some();
    (options.may_save_nothing || is_known) && is_shown(&hint.listed_by, options)
}

/// Whether a saving can't be told from none: its interval holds zero.
fn may_be_nothing(saving: &Amount) -> bool {
    saving.interval.is_some_and(|interval| interval.contains(Joules::ZERO))
}

/// Largest certain saving first, then largest predicted one, then by code location.
pub(super) fn order(a: &Hint, b: &Hint) -> Ordering {
    let sure = |hint: &Hint| hint.sure_saving_j().unwrap_or(f64::NEG_INFINITY);
    let by_sure = sure(b).total_cmp(&sure(a));
    let by_saving = || b.saving.energy.0.total_cmp(&a.saving.energy.0);
    let by_place = || (&a.file, a.start_line).cmp(&(&b.file, b.start_line));
    by_sure.then_with(by_saving).then_with(by_place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::sample;
    use crate::hint::confidence::Confidence;
    use crate::hint::{hints_of, hints_of_program_1};

    fn priced(confidence: Confidence, interval: Option<(f64, f64)>) -> Hint {
        let mut hint = hints_of_program_1(sample::PROGRAM_1).remove(0);
        hint.confidence = confidence;
        let ends = |(lo, hi)| crate::account::Interval { lo: Joules(lo), hi: Joules(hi) };
        hint.saving.interval = interval.map(ends);
        hint.listed_by = hint.saving;
        hint
    }

    /// 0.4 J at least with high confidence are more than 0.7 J with medium and 1.3 J with low.
    #[test]
    fn what_surely_saves_most_is_first() {
        let mut hints = [
            priced(Confidence::High, None),
            priced(Confidence::Low, Some((1.3, 9.0))),
            priced(Confidence::Medium, Some((0.7, 9.0))),
            priced(Confidence::High, Some((0.4, 0.5))),
        ];
        hints.sort_by(order);
        let order: Vec<_> = hints.iter().map(Hint::sure_saving_j).collect();
        assert_eq!(order, [Some(0.4), Some(0.35), Some(0.325), None]);
    }

    #[test]
    fn a_saving_whose_interval_holds_zero_is_none() {
        let may = |interval| may_be_nothing(&priced(Confidence::High, interval).saving);
        assert!(may(Some((-0.1, 2.0))) && may(Some((0.0, 1.0))));
        assert!(!may(Some((0.1, 1.0))) && !may(None));
        let wide = hints_at_relative_error(4.0);
        let narrow = hints_at_relative_error(0.06);
        assert!(wide.len() < narrow.len(), "{} and {}", wide.len(), narrow.len());
        assert!(wide.iter().all(|hint| hint.saving.interval.is_none_or(|i| i.lo.0 > 0.0)));
    }

    /// The hints of Program 1 by a model whose costs have this relative standard error.
    fn hints_at_relative_error(relative: f64) -> Vec<Hint> {
        let mut sample = sample::program_1();
        sample.model = sample::with_relative_error(sample.model, relative);
        hints_of(&sample, sample::PROGRAM_1)
    }
}

//! Selection and order of the hints that are listed.

use std::cmp::Ordering;

use crate::hint::context::EnergyAmount;
use crate::hint::hint::Hint;
use crate::units::Joules;

/// Thresholds for the hints that are listed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HintOptions {
    /// Least share of the scenario's energy that the code location must have, 0..1.
    pub least_bound: f64,
    /// Least share of the scenario's energy that must be saved, 0..1.
    pub least_saving: f64,
    /// Whether to keep hints whose interval contains zero.
    pub may_save_nothing: bool,
}

impl Default for HintOptions {
    /// Code locations of at least 1 %, savings of at least 0.1 % whose interval is above zero.
    fn default() -> Self {
        HintOptions { least_bound: 0.01, least_saving: 0.001, may_save_nothing: false }
    }
}

/// Whether an amount is at least the share `least` of the scenario, 0..1.
pub(super) fn is_at_least(amount: &EnergyAmount, least: f64) -> bool {
    amount.share.is_some_and(|share| share >= least)
}

/// Numbers of hot code locations that are no hints by the costs, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct UnshownPlaces {
    /// Locations whose saving is not significant.
    pub uncertain: usize,
    /// Locations whose saving is significant but small.
    pub small: usize,
}

impl UnshownPlaces {
    /// Counts a location whose saving is not listed.
    pub fn add(&mut self, saving: &EnergyAmount, options: &HintOptions) {
        match is_at_least(saving, options.least_saving) {
            true => self.uncertain += 1,
            false => self.small += 1,
        }
    }
}

/// Whether a saving reaches the thresholds.
pub(super) fn is_worth_listing(saving: &EnergyAmount, options: &HintOptions) -> bool {
    is_at_least(saving, options.least_saving)
        && (options.may_save_nothing || !may_be_nothing(saving))
}

/// Whether a hint reaches the thresholds by its saving on the board.
pub(super) fn is_worth_listing_on_board(hint: &Hint, options: &HintOptions) -> bool {
    let measured = hint.measured.and_then(|measured| measured.saving.interval);
    let is_known = hint.predicted().is_some() || measured.is_some();
    (options.may_save_nothing || is_known) && is_worth_listing(&hint.listed_by, options)
}

/// Whether a saving is not significant: its interval contains zero.
fn may_be_nothing(saving: &EnergyAmount) -> bool {
    saving.interval.is_some_and(|interval| interval.contains(Joules::ZERO))
}

/// Order by significant saving, then by predicted saving, both descending, then by code location.
pub(super) fn listing_order(a: &Hint, b: &Hint) -> Ordering {
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
        hints.sort_by(listing_order);
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

//! Search results: hints, and code locations whose saving on the board is not significant.

use std::collections::BTreeMap;
use std::fmt;

use crate::format::{counted, percent};
use crate::hint::board_ratio::BoardRatio;
use crate::hint::board_ratios::BoardRatios;
use crate::hint::hint::{Hint, MeasuredSaving};
use crate::hint::hint_pattern::HintPattern;
use crate::hint::joint_saving::JointSaving;
use crate::hint::listing::{HintOptions, UnshownPlaces, is_worth_listing_on_board, listing_order};
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::registry::PATTERNS;

/// Search results: hints, and code locations that would be hints by the costs alone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FoundHints {
    /// Hints by descending significant saving.
    pub hints: Vec<Hint>,
    /// Code locations with a significant saving by the costs, but not on the board.
    pub others: Vec<Hint>,
    /// Measured saving of all verified rewrites together, where there are several.
    pub joint: Option<JointSaving>,
    /// Number of hot code locations without a significant saving by the costs, by pattern.
    unshown: BTreeMap<&'static str, UnshownPlaces>,
    /// Measured savings on the board, by pattern.
    board: BoardRatios,
    options: HintOptions,
}

/// Code locations of a pattern without a hint, because the saving of such rewrites on the board
/// is not significant or unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WithheldPlaces {
    /// Name of the pattern.
    pub pattern: &'static str,
    /// Number of code locations that would be hints by the costs alone.
    pub places: usize,
    /// Number of these that were rewritten and measured, without a significant saving.
    pub measured: usize,
    /// Saving of such rewrites on the board; absent without measured pairs.
    pub on_board: Option<BoardRatio>,
}

impl FoundHints {
    /// Scales the predicted savings by those on the board, and separates hints from the others.
    pub(super) fn of(
        mut found: Vec<Hint>,
        unshown: BTreeMap<&'static str, UnshownPlaces>,
        board: BoardRatios,
        options: HintOptions,
    ) -> Self {
        found.iter_mut().for_each(|hint| hint.apply_board_ratio(&board));
        let mut found =
            Self { hints: found, others: Vec::new(), joint: None, unshown, board, options };
        found.separate_withheld();
        found
    }

    /// The first `limit` hints with an automatic fix, followed by other such code locations by
    /// descending possible saving, which a measurement may turn into hints.
    pub(crate) fn hints_to_measure(&self, limit: usize) -> Vec<&Hint> {
        let mut others: Vec<&Hint> = self.others.iter().collect();
        others.sort_by(|a, b| {
            b.largest_saving_j().total_cmp(&a.largest_saving_j()).then(listing_order(a, b))
        });
        let all = self.hints.iter().chain(others);
        all.filter(|hint| hint.automatic_fix.is_some()).take(limit).collect()
    }

    /// Adds savings measured at code locations. Some locations become hints, hints without a
    /// saving are dropped, and predictions for other locations of their patterns are updated.
    pub(crate) fn take_measured(
        &mut self,
        mut measured: impl FnMut(&Hint) -> Option<MeasuredSaving>,
    ) {
        for hint in self.hints.iter_mut().chain(&mut self.others) {
            if let Some(measured) = measured(hint) {
                self.board.learn(hint, &measured);
                hint.take_measured(measured);
            }
        }
        let all = self.hints.iter_mut().chain(&mut self.others);
        for hint in all.filter(|hint| hint.measured.is_none()) {
            hint.apply_board_ratio(&self.board);
        }
        self.separate_withheld();
    }

    /// Number of code locations without a hint, by pattern.
    pub fn withheld(&self) -> Vec<WithheldPlaces> {
        let of = |pattern: &&HintPattern| {
            let own = self.others.iter().filter(|hint| hint.pattern == pattern.name);
            let own: Vec<&Hint> = own.collect();
            let on_board = self.board.of_pattern(own.first()?.pattern);
            let measured = own.iter().filter(|hint| hint.measured.is_some()).count();
            Some(WithheldPlaces { pattern: pattern.name, places: own.len(), measured, on_board })
        };
        PATTERNS.iter().filter_map(of).collect()
    }

    /// Removes the results of other patterns, and the joint saving, which is of all; keeps all
    /// where none is named.
    pub fn keep_only(&mut self, patterns: &[String]) {
        let wanted = |pattern: &str| patterns.is_empty() || patterns.iter().any(|p| p == pattern);
        self.hints.retain(|hint| wanted(hint.pattern));
        self.others.retain(|hint| wanted(hint.pattern));
        self.unshown.retain(|pattern, _| wanted(pattern));
        if !patterns.is_empty() {
            self.joint = None;
        }
    }

    /// Reason why there is no hint; empty where there is one.
    pub fn why_none(&self) -> String {
        let sum = |part: fn(&UnshownPlaces) -> usize| self.unshown.values().map(part).sum();
        let (uncertain, small): (usize, usize) = (sum(|all| all.uncertain), sum(|all| all.small));
        let places = |count: usize| counted(count, "hot place");
        let mut reasons = Vec::new();
        if uncertain > 0 {
            let places = places(uncertain);
            reasons.push(format!(
                "savings at {places} of known patterns are not told apart from zero"
            ));
        }
        if !self.others.is_empty() {
            reasons.push("no known pattern with a certain saving on this board".into());
        }
        if small > 0 {
            let (places, least) = (places(small), percent(self.options.least_saving));
            reasons.push(format!("savings at {places} of known patterns are below {least}"));
        }
        match reasons.is_empty() {
            true => "no known pattern in a hot block".into(),
            false => reasons.join("; "),
        }
    }

    fn separate_withheld(&mut self) {
        let all = self.hints.drain(..).chain(self.others.drain(..));
        let options = self.options;
        (self.hints, self.others) = all.partition(|hint| is_worth_listing_on_board(hint, &options));
        self.hints.sort_by(listing_order);
    }
}

impl Hint {
    /// Scales the count-based saving by the saving of such rewrites on the board.
    fn apply_board_ratio(&mut self, board: &BoardRatios) {
        (self.saving, self.listed_by) = (self.by_costs, self.by_costs);
        self.on_board = board.of_pattern(self.pattern);
        if let Some(ratio) = self.on_board {
            self.saving = ratio.saving_at_location(self.by_costs, self.bound.energy);
            self.listed_by = match self.basis {
                PredictionBasis::Costs => self.saving,
                PredictionBasis::Lines => ratio.mean_saving(self.by_costs, self.bound.energy),
            };
        }
    }
}

impl fmt::Display for WithheldPlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WithheldPlaces { pattern, places, measured, on_board } = self;
        write!(f, "{} of {pattern}: ", counted(places, "place"))?;
        match on_board {
            Some(ratio) => write!(f, "{} on this board: {ratio}", unsure_saving_remark(ratio)),
            None => {
                write!(f, "not known on this board: no pairs of microbenchmarks say what it saves")
            }
        }?;
        match measured {
            0 => Ok(()),
            _ => write!(f, "; nor do measurements of {measured} of them tell it from nothing"),
        }
    }
}

/// Reason why a code location has no hint although the costs predict a saving. The mean saving of
/// such rewrites may be significant where that at a further location is not.
fn unsure_saving_remark(ratio: &BoardRatio) -> &'static str {
    match ratio.interval() {
        (lo, _) if lo > 0.0 => "no certain saving at a single place; on average such rewrites save",
        (_, hi) if hi <= 0.0 => "saves nothing",
        _ => "no certain saving",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{Interval, sample};
    use crate::hint::{EnergyAmount, hints_of_program_1};
    use crate::units::Joules;

    fn amount(energy_j: f64, half_j: f64) -> EnergyAmount {
        let (lo, hi) = (Joules(energy_j - half_j), Joules(energy_j + half_j));
        let interval = Some(Interval { lo, hi });
        EnergyAmount { energy: Joules(energy_j), interval, share: Some(energy_j / 100.0) }
    }

    /// A hint with an automatic fix, whose rewrite is predicted to save that much.
    fn predicted(saving: EnergyAmount) -> Hint {
        let all = hints_of_program_1(sample::PROGRAM_1);
        let mut hint = all.into_iter().find(|hint| hint.automatic_fix.is_some()).unwrap();
        (hint.by_costs, hint.bound) = (saving, amount(100.0, 1.0));
        hint
    }

    fn found(of: &[Hint]) -> FoundHints {
        let nothing = BTreeMap::new();
        FoundHints::of(of.to_vec(), nothing, BoardRatios::default(), HintOptions::default())
    }

    fn measured(found: &mut FoundHints, saving: EnergyAmount) {
        found.take_measured(|_| Some(MeasuredSaving { saving, pairs: 5 }));
    }

    /// Patterns were found: nobody says that there are none.
    #[test]
    fn where_nothing_is_shown_the_reason_is_told() {
        let none = FoundHints::default();
        assert_eq!(none.why_none(), "no known pattern in a hot block");
        let unsure = [("loop-invariant", UnshownPlaces { uncertain: 2, small: 0 })];
        let small = [("bulk-copy", UnshownPlaces { uncertain: 0, small: 1 })];
        let all: BTreeMap<_, _> = unsure.into_iter().chain(small).collect();
        let mut found =
            FoundHints::of(Vec::new(), all, BoardRatios::default(), HintOptions::default());
        assert_eq!(
            found.why_none(),
            "savings at 2 hot places of known patterns are not told apart from zero; savings at \
             1 hot place of known patterns are below 0.10 %"
        );
        found.keep_only(&["bulk-copy".into()]);
        assert!(!found.why_none().contains("zero"), "{}", found.why_none());
    }

    /// A model whose costs may be anything finds the loop and says that.
    #[test]
    fn unsure_costs_are_the_reason_where_there_is_no_hint() {
        let mut sample = sample::program_1();
        sample.model = sample::with_relative_error(sample.model, 40.0);
        let found = crate::hint::all_of(&sample, sample::PROGRAM_1);
        assert!(found.hints.is_empty());
        assert!(found.why_none().contains("not told apart from zero"), "{}", found.why_none());
    }

    #[test]
    fn a_place_becomes_a_hint_by_what_it_saved() {
        let mut found = found(&[predicted(amount(2.0, 4.0))]);
        assert_eq!((found.hints.len(), found.others.len()), (0, 1));
        assert_eq!(found.hints_to_measure(9).len(), 1);
        assert_eq!(found.withheld()[0].measured, 0);
        measured(&mut found, amount(3.0, 1.0));
        assert_eq!((found.hints.len(), found.others.len()), (1, 0));
        assert!(found.withheld().is_empty());
    }

    #[test]
    fn a_hint_that_saves_nothing_is_none_any_more() {
        let mut found = found(&[predicted(amount(2.0, 1.5))]);
        assert_eq!(found.hints.len(), 1);
        measured(&mut found, amount(0.1, 0.4));
        assert!(found.hints.is_empty());
        let withheld = found.withheld()[0];
        assert_eq!((withheld.places, withheld.measured), (1, 1));
        assert!(withheld.to_string().contains("measurements of 1 of them"), "{withheld}");
    }

    /// Rewrites that save on average 38 % at least do not save nothing: what is unsure is the
    /// place.
    #[test]
    fn why_a_place_is_withheld_agrees_with_the_figures() {
        let said = |ratio, se| {
            let basis = PredictionBasis::Costs;
            let ratio = BoardRatio { basis, ratio, se, spread: 0.7, pairs: 3, places: 0 };
            let pattern = "loop-invariant";
            WithheldPlaces { pattern, places: 1, measured: 0, on_board: Some(ratio) }.to_string()
        };
        let saves = said(1.19, 0.41);
        let expected = "1 place of loop-invariant: no certain saving at a single place; on average \
                        such rewrites save on this board: 119.0 % of the saving that the costs predict \
                        (38.6 %";
        assert!(saves.starts_with(expected), "{saves}");
        let unsure = said(0.012, 0.02);
        assert!(unsure.contains(": no certain saving on this board: 1.2 % of"), "{unsure}");
        let costs_more = said(-0.3, 0.02);
        assert!(costs_more.contains(": saves nothing on this board: "), "{costs_more}");
    }

    /// Of a pattern that nothing predicts, what the place saved says all.
    #[test]
    fn a_place_that_is_not_predicted_is_measured_alone() {
        let unknown = Hint { basis: PredictionBasis::Lines, ..predicted(amount(40.0, 1.0)) };
        let mut found = found(&[unknown]);
        assert!(found.hints.is_empty(), "nobody knows what it saves");
        let single = EnergyAmount { interval: None, ..amount(3.0, 1.0) };
        measured(&mut found, single);
        assert!(found.hints.is_empty(), "a single pair tells nothing from none");
        measured(&mut found, amount(3.0, 1.0));
        assert_eq!(found.hints[0].listed_by, amount(3.0, 1.0));
        assert_eq!(found.hints[0].predicted(), None);
    }

    /// Three of four places of 10 J each save 2, 3 and 4 J: a fourth is predicted to save 3 J, and
    /// those that were measured are predicted as before.
    #[test]
    fn places_that_were_measured_tell_of_their_patterns_others() {
        let mut found = found(&[10.0; 4].map(|said_j| predicted(amount(said_j, 0.1))));
        let mut saved = [2.0, 3.0, 4.0].into_iter();
        let saving = |saved| MeasuredSaving { saving: amount(saved, 0.1), pairs: 5 };
        found.take_measured(|_| saved.next().map(saving));
        let other = found.hints.iter().find(|hint| hint.measured.is_none()).unwrap();
        assert!((other.saving.energy.0 - 3.0).abs() < 0.01, "{:?}", other.saving);
        let ratio = other.on_board.unwrap();
        assert_eq!((ratio.pairs, ratio.places), (0, 3));
        assert!((ratio.spread - 0.1).abs() < 0.01, "{ratio:?}");
        let one = found.hints.iter().find(|hint| hint.measured.is_some()).unwrap();
        assert_eq!((one.on_board, one.predicted().unwrap().energy), (None, Joules(10.0)));
    }

    #[test]
    fn a_single_place_tells_nothing_of_others() {
        let mut found = found(&[predicted(amount(10.0, 0.1)), predicted(amount(10.0, 0.1))]);
        let mut saved = [2.0].into_iter();
        let saving = |saved| MeasuredSaving { saving: amount(saved, 0.1), pairs: 5 };
        found.take_measured(|_| saved.next().map(saving));
        let other = found.hints.iter().find(|hint| hint.measured.is_none()).unwrap();
        assert_eq!((other.on_board, other.saving.energy), (None, Joules(10.0)));
    }

    #[test]
    fn hints_are_measured_before_places_and_these_by_what_they_may_save() {
        let all = [amount(2.0, 4.0), amount(3.0, 1.0), amount(1.0, 9.0)].map(predicted);
        let found = found(&all);
        let energies = |limit| -> Vec<f64> {
            let chosen = found.hints_to_measure(limit);
            chosen.iter().map(|hint| hint.saving.energy.0).collect()
        };
        assert_eq!(energies(9), [3.0, 1.0, 2.0]);
        assert_eq!(energies(2), [3.0, 1.0]);
    }
}

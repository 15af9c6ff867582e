//! Measured savings of rewrites on the board. Costs of operations predict the saving of a rewrite
//! if the board executes the code as written; a compiler may have made the rewrite already, or
//! save more by it. Each pattern has before/after microbenchmarks (`microbenchmarks::pairs`): the
//! ratio of the measured saving of a pair to its count-based saving scales the predictions of the
//! pattern. Where a rewrite replaces calls that costs do not distinguish, the relative saving
//! itself scales the energy of the replaced lines.
//!
//! Pairs of one pattern differ as code locations do: their ratios are combined by their errors
//! and the spread between them (DerSimonian and Laird, Meta-analysis in clinical trials, 1986).
//! The prediction is for a further code location, not for the mean: its interval is a prediction
//! interval (Higgins, Thompson and Spiegelhalter, A re-evaluation of random-effects
//! meta-analysis, 2009).
//!
//! Code locations that were rewritten and measured predict further ones better than pairs do,
//! which are representative only as far as they resemble real code.

use std::collections::BTreeMap;

use crate::account::IndexedModel;
use crate::hint::board_ratio::BoardRatio;
use crate::hint::context::EnergyAmount;
use crate::hint::hint::{Hint, MeasuredSaving};
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::registry::PATTERNS;
use crate::microbenchmarks::pairs::MeasuredPair;
use crate::model::Model;
use crate::operations::{Feature, OperationCount, split_form};

/// Ratios of measured to predicted savings on a board, from pairs and code locations, by pattern.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoardRatios(BTreeMap<String, Vec<SavingRatio>>);

/// Least relative count-based saving of a pair; below, its ratio would be noise.
const LEAST_SAID: f64 = 0.01;

impl BoardRatios {
    /// Computes the ratios from measured pairs and a model's costs.
    pub fn of(pairs: &[MeasuredPair], model: &Model) -> Self {
        let costs = IndexedModel::new(model);
        let typical = typical_error(pairs);
        let mut by_pattern: BTreeMap<String, Vec<SavingRatio>> = BTreeMap::new();
        for pair in pairs {
            let said = match prediction_basis_of(&pair.pattern) {
                PredictionBasis::Costs => {
                    predicted_share(pair, &costs).filter(|predicted| predicted.share >= LEAST_SAID)
                }
                PredictionBasis::Lines => Some(PredictedShare { share: 1.0, unpriced: 0.0 }),
            };
            if let Some((PredictedShare { share, unpriced }, se)) = said.zip(pair.saved_se) {
                let ratio = pair.saved / share;
                let se = (se.max(typical) / share).hypot(ratio * unpriced * HALF_NORMAL_SPREAD);
                let one = SavingRatio { ratio, se, is_place: false };
                by_pattern.entry(pair.pattern.clone()).or_default().push(one);
            }
        }
        Self(by_pattern)
    }

    /// Combined ratio of a pattern; `None` from a single code location, which does not
    /// generalise.
    pub(crate) fn of_pattern(&self, pattern: &str) -> Option<BoardRatio> {
        let known = self.0.get(pattern)?;
        let is_single = matches!(known.as_slice(), [SavingRatio { is_place: true, .. }]);
        combined_ratio(known, prediction_basis_of(pattern)).filter(|_| !is_single)
    }

    /// Adds the measured saving of a code location.
    pub(super) fn learn(&mut self, place: &Hint, measured: &MeasuredSaving) {
        if let Some(one) = SavingRatio::of_place(&place.by_costs, &measured.saving) {
            self.0.entry(place.pattern.to_string()).or_default().push(one);
        }
    }
}

/// Reference of a pattern's predictions.
fn prediction_basis_of(pattern: &str) -> PredictionBasis {
    let found = PATTERNS.iter().find(|known| known.name == pattern);
    found.map_or(PredictionBasis::Costs, |known| known.basis)
}

/// Ratio of measured to predicted saving of one pair or one code location.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SavingRatio {
    ratio: f64,
    se: f64,
    is_place: bool,
}

impl SavingRatio {
    /// Ratio of the measured saving `saved` to the predicted `said`; `None` where the former has
    /// no error or the latter is not positive. The error of `said` comes from costs, which other
    /// code locations share, so that the ratio compensates for it.
    fn of_place(said: &EnergyAmount, saved: &EnergyAmount) -> Option<Self> {
        let (ratio, se) =
            (saved.energy / said.energy, saved.standard_deviation_j()? / said.energy.0);
        (said.energy.0 > 0.0 && se.is_finite()).then_some(Self { ratio, se, is_place: true })
    }
}

/// Spread of costs about their mean, relative to it: that of a half-normal distribution, which the
/// hierarchical model has for costs that nothing else is known of.
const HALF_NORMAL_SPREAD: f64 = 0.756;

/// Count-based relative saving of a pair.
#[derive(Debug, Clone, Copy)]
struct PredictedShare {
    /// Part of the energy of the code before that the costs predict to be saved.
    share: f64,
    /// Part of the saving that is of operations without a cost, of which little is known.
    unpriced: f64,
}

/// Predicts the relative saving of a pair. An operation without a cost is taken at the mean of the
/// others; `None` where none has a cost.
fn predicted_share(pair: &MeasuredPair, costs: &IndexedModel<'_>) -> Option<PredictedShare> {
    let price = |form: &str| -> Option<f64> {
        let (operation, context) = split_form(form);
        let (operation, context) = (operation.parse::<Feature>().ok()?, context.into());
        let found = OperationCount { operation, context, line: 0, count: 1 };
        let cost = costs.of(found.operation.name())?;
        Some(costs.cost(cost).0 * costs.context_factor(&found))
    };
    let known = pair.before.iter().filter_map(|(form, n)| Some((price(form)? * n, *n)));
    let (energy_j, executions) = known.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let mean_j = energy_j / executions;
    let word = |counts: &BTreeMap<String, f64>| -> f64 {
        counts.iter().map(|(form, n)| price(form).unwrap_or(mean_j) * n).sum()
    };
    let (before, after) = (word(&pair.before), word(&pair.after));
    let unpriced = |counts: &BTreeMap<String, f64>| -> f64 {
        let own = counts.iter().filter(|(form, _)| price(form).is_none());
        own.map(|(_, n)| mean_j * n).sum()
    };
    let unpriced = (unpriced(&pair.before) - unpriced(&pair.after)) / (before - after);
    let share = (before - after) / before;
    let found = PredictedShare { share, unpriced: unpriced.abs() };
    Some(found).filter(|found| before > 0.0 && share.is_finite() && found.unpriced.is_finite())
}

/// Root mean square error over all pairs: the few sessions of one may agree by chance.
fn typical_error(pairs: &[MeasuredPair]) -> f64 {
    let errors: Vec<f64> = pairs.iter().filter_map(|pair| pair.saved_se).collect();
    let squares: f64 = errors.iter().map(|se| se * se).sum();
    if errors.is_empty() { 0.0 } else { (squares / errors.len() as f64).sqrt() }
}

/// Combines ratios; `None` for an empty list.
///
/// Code locations differ from pairs: their mean may be as far from the pairs' mean as single
/// ratios are.
fn combined_ratio(of: &[SavingRatio], basis: PredictionBasis) -> Option<BoardRatio> {
    let between = variance_between(of);
    let (places, pairs): (Vec<SavingRatio>, Vec<SavingRatio>) =
        of.iter().partition(|one| one.is_place);
    let of_pairs = mean(&pairs, &weights(&pairs, between));
    let of_places = mean(&places, &weights(&places, between))
        .map(|mean| mean.at_least(shared_variance(&places)));
    let mean = match (of_pairs, of_places) {
        (Some(pairs), Some(places)) => {
            pairs.at_least(pairs.variance + between).combined_with(places)
        }
        (of_pairs, of_places) => of_pairs.or(of_places)?,
    };
    let MeanRatio { ratio, variance } = mean;
    let (se, spread) = (variance.sqrt(), between.sqrt());
    Some(BoardRatio { basis, ratio, se, spread, pairs: pairs.len(), places: places.len() })
}

/// Weighted mean of ratios with its variance.
#[derive(Debug, Clone, Copy)]
struct MeanRatio {
    ratio: f64,
    variance: f64,
}

impl MeanRatio {
    fn at_least(self, variance: f64) -> Self {
        Self { variance: self.variance.max(variance), ..self }
    }

    /// Mean of two independent means, weighted by the inverse of their variances.
    fn combined_with(self, other: Self) -> Self {
        let weight = other.variance / (self.variance + other.variance);
        let ratio = weight * self.ratio + (1.0 - weight) * other.ratio;
        Self { ratio, variance: weight * self.variance }
    }
}

/// Weights of ratios with the variance `between` beyond their errors.
fn weights(of: &[SavingRatio], between: f64) -> Vec<f64> {
    let least = of.iter().map(|one| one.se).fold(0.0, f64::max) * 1e-6 + f64::MIN_POSITIVE.sqrt();
    of.iter().map(|one| 1.0 / (one.se.max(least).powi(2) + between)).collect()
}

/// Mean of the ratios with these weights; `None` for an empty list.
fn mean(of: &[SavingRatio], weights: &[f64]) -> Option<MeanRatio> {
    let all: f64 = weights.iter().sum();
    let ratio = of.iter().zip(weights).map(|(one, w)| one.ratio * w).sum::<f64>() / all;
    ratio.is_finite().then_some(MeanRatio { ratio, variance: all.recip() })
}

/// Variance of the ratios beyond their errors.
fn variance_between(of: &[SavingRatio]) -> f64 {
    let weights = weights(of, 0.0);
    let Some(MeanRatio { ratio: mean, .. }) = mean(of, &weights) else { return 0.0 };
    let all: f64 = weights.iter().sum();
    let squares: f64 = weights.iter().map(|w| w * w).sum();
    let apart: f64 = of.iter().zip(&weights).map(|(one, w)| w * (one.ratio - mean).powi(2)).sum();
    let between = ((apart - (of.len() as f64 - 1.0)) / (all - squares / all)).max(0.0);
    if between.is_finite() { between } else { 0.0 }
}

/// Variance that code locations share because they are measured against the same sessions of the
/// original: half of the smallest variance.
fn shared_variance(places: &[SavingRatio]) -> f64 {
    places.iter().map(|one| 0.5 * one.se.powi(2)).reduce(f64::min).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::sample;
    use crate::hint::board_ratio::LEAST_FOR_PREDICTION;

    fn pair(name: &str, saved: f64, se: f64, counts: (f64, f64)) -> MeasuredPair {
        let of = |n: f64| BTreeMap::from([("Increment".to_string(), n), ("Not".to_string(), 1.0)]);
        MeasuredPair {
            pattern: "field-in-loop".into(),
            name: name.into(),
            saved,
            saved_se: Some(se),
            sessions: 3,
            before: of(counts.0),
            after: of(counts.1),
        }
    }

    fn ratio_of(pairs: &[MeasuredPair]) -> Option<BoardRatio> {
        // `Not` has no cost: it is taken at that of the increments.
        let model = sample::model(&[("Increment", 1e-9)]);
        BoardRatios::of(pairs, &model).of_pattern("field-in-loop")
    }

    #[test]
    fn every_pattern_has_pairs_that_can_differ() {
        let pairs = crate::microbenchmarks::pairs::before_after_pairs();
        for pattern in crate::hint::PATTERNS {
            let own = pairs.iter().filter(|pair| pair.pattern == pattern.name).count();
            let least = match pattern.basis {
                PredictionBasis::Costs => 2,
                PredictionBasis::Lines => LEAST_FOR_PREDICTION,
            };
            assert!(own >= least, "{} has {own} pairs", pattern.name);
        }
        let is_known =
            |name: &str| crate::hint::PATTERNS.iter().any(|pattern| pattern.name == name);
        assert!(pairs.iter().all(|pair| is_known(&pair.pattern)));
    }

    /// The costs say that 5 of 10 operations are saved, and 2 of 10; the board saves that much.
    #[test]
    fn where_the_costs_are_right_the_ratio_is_one() {
        let pairs = [pair("a", 0.5, 0.01, (9.0, 4.0)), pair("b", 0.2, 0.01, (9.0, 7.0))];
        let ratio = ratio_of(&pairs).unwrap();
        assert!((ratio.ratio - 1.0).abs() < 1e-9 && ratio.spread == 0.0 && ratio.pairs == 2);
        // Errors of 2 and 5 %: 1 / sqrt(2500 + 400).
        assert!((ratio.se - 2900f64.sqrt().recip()).abs() < 1e-9, "{ratio:?}");
    }

    /// A pair that saves an operation without a cost says little of the costs: its ratio of 1.8 is a
    /// guess, and does not widen the spread between pairs whose costs are known.
    #[test]
    fn a_guessed_cost_is_no_evidence_against_known_ones() {
        let of = |n: f64| BTreeMap::from([("Increment".into(), 9.0), ("Not".to_owned(), n)]);
        let guessed = MeasuredPair {
            before: of(6.0),
            after: of(1.0),
            ..pair("guessed", 0.6, 0.01, (9.0, 9.0))
        };
        let known = pair("known", 0.5, 0.01, (9.0, 4.0));
        let ratio = ratio_of(&[known, guessed]).unwrap();
        assert!((ratio.ratio - 1.0).abs() < 0.01 && ratio.spread == 0.0, "{ratio:?}");
    }

    #[test]
    fn pairs_that_differ_say_how_far_places_are_apart() {
        let pairs = [pair("a", 0.0, 0.001, (9.0, 4.0)), pair("b", 0.5, 0.001, (9.0, 4.0))];
        let ratio = ratio_of(&pairs).unwrap();
        assert!((ratio.ratio - 0.5).abs() < 1e-6);
        assert!((ratio.spread - 0.5f64.sqrt()).abs() < 0.01 && ratio.se > 0.4, "{ratio:?}");
    }

    #[test]
    fn what_says_nothing_has_no_ratio() {
        assert_eq!(ratio_of(&[]), None);
        assert_eq!(ratio_of(&[pair("a", 0.5, 0.01, (9.0, 9.0))]), None, "the costs save nothing");
        let single = MeasuredPair { saved_se: None, ..pair("a", 0.5, 0.0, (9.0, 4.0)) };
        assert_eq!(ratio_of(&[single]), None, "a single session has no error");
        let model = sample::model(&[("Throw", 1e-9)]);
        let ratios = BoardRatios::of(&[pair("a", 0.5, 0.01, (9.0, 4.0))], &model);
        assert_eq!(ratios, BoardRatios::default(), "the costs know none of it");
    }

    /// What the costs say of the pairs doesn't matter where the prediction starts from lines.
    #[test]
    fn pairs_of_replaced_lines_need_no_costs() {
        let of = |name: &str, saved: f64| MeasuredPair {
            pattern: "string-buffer".into(),
            ..pair(name, saved, 0.01, (9.0, 9.0))
        };
        let ratios = BoardRatios::of(&[of("a", 0.4), of("b", 0.2)], &sample::model(&[]));
        let ratio = ratios.of_pattern("string-buffer").unwrap();
        assert!(
            (ratio.ratio - 0.3).abs() < 1e-9 && ratio.basis == PredictionBasis::Lines,
            "{ratio:?}"
        );
        assert!(ratio.to_string().contains("30.0 % of what the replaced lines spend"), "{ratio}");
    }

    /// Places of one campaign share the sessions of the original.
    #[test]
    fn places_together_are_no_surer_than_what_they_share() {
        let one = |is_place| SavingRatio { ratio: 0.1, se: 0.04, is_place };
        let places = combined_ratio(&[one(true); 16], PredictionBasis::Lines).unwrap();
        assert!((places.se - 0.04 * 0.5f64.sqrt()).abs() < 1e-9, "{places:?}");
        let pairs = combined_ratio(&[one(false); 16], PredictionBasis::Lines).unwrap();
        assert!((pairs.se - 0.01).abs() < 1e-9, "{pairs:?}");
    }

    /// Pairs save 10 to 70 %, three places nothing: nor do others on average, whatever the pairs
    /// say. Where all agree both count.
    #[test]
    fn places_outweigh_pairs_that_are_apart() {
        let one = |ratio, is_place| SavingRatio { ratio, se: 0.04, is_place };
        let pairs = [0.1, 0.2, 0.3, 0.7].map(|ratio| one(ratio, false));
        let of = |places: &[f64]| {
            let places = places.iter().map(|ratio| one(*ratio, true));
            combined_ratio(
                &pairs.into_iter().chain(places).collect::<Vec<_>>(),
                PredictionBasis::Lines,
            )
            .unwrap()
        };
        let (alone, measured) = (of(&[]), of(&[0.0, 0.02, -0.02]));
        assert!(alone.interval().0 > 0.0 && alone.ratio > 0.3, "{alone}");
        assert!(measured.interval().0 < 0.0 && measured.ratio < 0.15, "{measured}");
        let same = combined_ratio(
            &[false, true].map(|is_place| one(0.3, is_place)),
            PredictionBasis::Lines,
        );
        let expected = (0.04f64.powi(-2) + 0.04f64.powi(-2)).sqrt().recip();
        assert!((same.unwrap().se - expected).abs() < 1e-9, "{same:?}");
    }
}

//! The default of the program: the best predictor of cases that were held out inside the cases
//! fitted to (stacked generalisation: Wolpert 1992; convex weights: Breiman 1996; that it is as
//! good as the best candidate, but for what vanishes: van der Laan, Polley & Hubbard 2007).
//!
//! Totals of cases contain little on single costs, so `shrink`, which uses more than they, is kept
//! as it is while the folds can't separate it from the best combination, and in no fold loses to
//! one cost for all operations. Else the combination is taken, unless it loses to that itself.
//! Where microbenchmarks determine single costs, or the combination gives operations next to
//! nothing (the mean and one power explain all), it predicts cases only, and operations keep the
//! costs of `shrink`. All is judged, and predicted, within reach of the cases fitted to
//! ([`ValidityLimits`]), beyond which no candidate can run away.

mod candidates;
mod held_out_cases;
mod weights;

use std::borrow::Cow;

use faer::Mat;

use self::candidates::{ExtendedDesign, FLAT, RIDGE, SHRINK};
use self::held_out_cases::HeldOutCases;
use self::weights::convex_weights;
use super::super::design::Design;
use super::super::error::ModelError;
use super::super::folds::assign_folds_at_most;
use super::super::gram::Gram;
use super::super::linear::{dot, matrix_times_vector};
use super::super::options::{FitOptions, Penalty};
use super::super::predictor_choice::{CandidateScore, ConstantEnergy, PredictorChoice};
use super::super::validity_limits::{ValidityLimits, counts_within_shares, largest_shares};
use super::shrink;
use super::solution::{Covariance, HeldOutErrors, Solution, StackedChoice, diagnostics};

/// The share of the energy below which operations explain next to nothing of it.
const NEXT_TO_NOTHING: f64 = 0.01;

/// Held-out residuals of the candidates, in the design's units.
struct HeldOutResiduals {
    names: Vec<&'static str>,
    /// One vector of length m per candidate.
    residuals: Vec<Vec<f64>>,
    /// Residuals of `shrink` by itself: where microbenchmarks determine costs, these reach
    /// everywhere.
    alone: Vec<f64>,
    /// Index of the ridge's strength that did best; the others are left out of both.
    ridge: usize,
}

pub(super) fn solve(design: &Design, options: &FitOptions) -> Result<Solution, ModelError> {
    let shrunk = shrink::solve(design, options)?;
    let wide = ExtendedDesign::new(design);
    let all: Vec<usize> = (0..design.x.nrows()).collect();
    let gram = wide.design.gram_of(&all);
    let shares = largest_shares_of_rows(design, |_| true);
    let mean_cost = MeanCost::new(&wide, &gram);
    let own = ValidityLimits {
        cost_j: mean_cost.of(&shrunk.b),
        shares: with_unbounded_shares(design, options, shares.clone()),
    };
    let groups: Vec<&str> = design.groups.iter().map(String::as_str).collect();
    let Some(fold_of) = assign_folds_at_most(&groups, options.inner_folds) else {
        return Ok(shrink_alone(shrunk, own));
    };
    let held_out = predict_held_out(&wide, options, &shrunk, &fold_of)?;
    let Some(judge) = HeldOutCases::new(design, options.inner_folds.unit, &fold_of) else {
        return Ok(shrink_alone(shrunk, own));
    };
    let knows_more = shrunk.diagnostics["prior_by_share"] == 0.0;
    let (choice, weights) = choose(&held_out, &judge, knows_more);
    let errors = HeldOutErrors {
        residuals: chosen_residuals(&held_out, &judge, &choice),
        units: judge.units(),
    };
    let fits = with_one_ridge(wide.candidates(&gram, options, &shrunk)?, held_out.ridge);
    let part = |name: &str| held_out.names.iter().position(|n| *n == name).map(|k| weights[k]);
    let parts: Vec<(f64, Vec<f64>)> = fits
        .into_iter()
        .filter_map(|(name, b)| Some((part(name).filter(|weight| *weight > 0.0)?, b)))
        .collect();
    let cost_j = parts.iter().map(|(weight, b)| weight * mean_cost.of(b)).sum();
    let reach = if choice.chosen == SHRINK { own } else { ValidityLimits { cost_j, shares } };
    Ok(combine_fits(
        &wide,
        shrunk,
        &parts,
        StackedChoice { choice, case_b: None, reach, constant: None, held_out: Some(errors) },
    ))
}

/// Returns the solution of `shrink` as the choice, where there are too few cases for folds.
fn shrink_alone(shrunk: Solution, reach: ValidityLimits) -> Solution {
    let why = "there are too few cases to hold any out".to_owned();
    let choice =
        PredictorChoice { chosen: SHRINK.to_owned(), why, folds: 0, candidates: Vec::new() };
    Solution {
        stacked: Some(StackedChoice {
            choice,
            case_b: None,
            reach,
            constant: None,
            held_out: None,
        }),
        ..shrunk
    }
}

/// Returns the largest share of each operation in some rows.
fn largest_shares_of_rows(design: &Design, used: impl Fn(usize) -> bool) -> Vec<f64> {
    let rows = (0..design.x.nrows()).filter(|i| used(*i));
    largest_shares(design.columns(), rows.map(|i| Cow::Owned(row_counts(design, i))))
}

/// Average cost of an execution in some rows: the one cost for all operations that gives the rows
/// the energy they have by scaled costs; 0 for predictors by durations alone.
struct MeanCost {
    /// Products of each operation's column with the executions of the rows.
    with_total: Vec<f64>,
    /// Product of the executions with themselves.
    of_total: f64,
}

impl MeanCost {
    fn new(wide: &ExtendedDesign<'_>, gram: &Gram) -> Self {
        let (l, scale) = (wide.operations(), &wide.narrow.scale);
        let with_total = matrix_times_vector(gram.xx.as_ref().submatrix(0, 0, l, l), scale);
        Self { of_total: dot(&with_total, scale), with_total }
    }

    /// Returns the average cost in joules by these scaled costs. Those of the case and its seconds
    /// are left out.
    fn of(&self, b: &[f64]) -> f64 {
        let operations = &b[..self.with_total.len()];
        if self.of_total > 0.0 {
            f64::max(dot(&self.with_total, operations) / self.of_total, 0.0)
        } else {
            0.0
        }
    }
}

/// Returns the shares for the reach of `shrink` by itself: 1 for a cost that a microbenchmark
/// measured and whose error is used as stated, since it was not found from cases, and so holds
/// whatever a case consists of.
fn with_unbounded_shares(design: &Design, options: &FitOptions, mut shares: Vec<f64>) -> Vec<f64> {
    if options.penalty == Penalty::AsStated {
        for (feature, share) in design.features.iter().zip(&mut shares) {
            if options.priors.costs.iter().any(|known| known.operation == *feature) {
                *share = 1.0;
            }
        }
    }
    shares
}

/// Returns the weighted counts of a row.
fn row_counts(design: &Design, i: usize) -> Vec<f64> {
    design.scale.iter().enumerate().map(|(j, scale)| design.x[(i, j)] * scale).collect()
}

/// Fits the candidates without each fold, and predicts the cases of that fold.
fn predict_held_out(
    wide: &ExtendedDesign<'_>,
    options: &FitOptions,
    shrunk: &Solution,
    fold_of: &[usize],
) -> Result<HeldOutResiduals, ModelError> {
    let grams = wide.design.fold_grams(fold_of);
    let mut found: Vec<(&'static str, Vec<f64>)> = Vec::new();
    let mut alone = vec![0.0; fold_of.len()];
    for (fold, (training, _)) in grams.rounds().enumerate() {
        let shares = largest_shares_of_rows(wide.narrow, |i| fold_of[i] != fold);
        let known = with_unbounded_shares(wide.narrow, options, shares.clone());
        let fits = wide.candidates(&training, options, shrunk)?;
        let shrink_at = fits.iter().position(|(name, _)| *name == SHRINK).unwrap_or(0);
        if found.is_empty() {
            found = fits.iter().map(|(name, _)| (*name, vec![0.0; fold_of.len()])).collect();
        }
        let mean_cost = MeanCost::new(wide, &training);
        let costs: Vec<CandidateCosts> =
            fits.iter().map(|(_, b)| CandidateCosts::new(wide, &mean_cost, b)).collect();
        for i in (0..fold_of.len()).filter(|i| fold_of[*i] == fold) {
            let row = ReachSplit::new(wide, &shares, i);
            for ((_, residuals), costs) in found.iter_mut().zip(&costs) {
                residuals[i] = row.energy(costs) - wide.design.y[i];
            }
            let row = ReachSplit::new(wide, &known, i);
            alone[i] = row.energy(&costs[shrink_at]) - wide.design.y[i];
        }
    }
    let square = |residuals: &[f64]| residuals.iter().map(|r| r * r).sum::<f64>();
    let ridges = found.iter().filter(|(name, _)| *name == RIDGE);
    let ridge = ridges
        .enumerate()
        .min_by(|(_, a), (_, b)| square(&a.1).total_cmp(&square(&b.1)))
        .map_or(0, |(at, _)| at);
    let (names, residuals) = with_one_ridge(found, ridge)
        .into_iter()
        .filter(|(_, residuals)| residuals.iter().all(|r| r.is_finite()))
        .unzip();
    Ok(HeldOutResiduals { names, residuals, alone, ridge })
}

/// Returns the candidates with one strength of the ridge, the one of index `ridge`.
fn with_one_ridge(
    all: Vec<(&'static str, Vec<f64>)>,
    ridge: usize,
) -> Vec<(&'static str, Vec<f64>)> {
    let mut strengths = 0..;
    all.into_iter().filter(|(name, _)| *name != RIDGE || strengths.next() == Some(ridge)).collect()
}

/// A candidate's costs in joules.
struct CandidateCosts {
    /// Costs of all columns.
    each: Vec<f64>,
    /// Cost of an execution beyond reach.
    beyond_j: f64,
}

impl CandidateCosts {
    fn new(wide: &ExtendedDesign<'_>, mean_cost: &MeanCost, b: &[f64]) -> Self {
        Self { each: wide.design.costs(b), beyond_j: mean_cost.of(b) }
    }
}

/// Counts of a case within reach of the cases fitted to, and the executions beyond.
struct ReachSplit {
    within: Vec<f64>,
    beyond: f64,
}

impl ReachSplit {
    fn new(wide: &ExtendedDesign<'_>, shares: &[f64], i: usize) -> Self {
        let l = wide.operations();
        let mut all = row_counts(&wide.design, i);
        let Some(within) = counts_within_shares(shares, &all[..l]) else {
            return Self { within: all, beyond: 0.0 };
        };
        let beyond = all.iter().zip(&within).map(|(n, within)| n - within).sum();
        all[..l].copy_from_slice(&within);
        Self { within: all, beyond }
    }

    /// Returns the weighted energy at the costs of a candidate.
    fn energy(&self, costs: &CandidateCosts) -> f64 {
        dot(&self.within, &costs.each) + self.beyond * costs.beyond_j
    }
}

/// Chooses the predictor: returns the choice with its reason, and the weight of each candidate;
/// `knows_more` if the prior of `shrink` contains more than that each column may explain some share
/// of the energy.
fn choose(
    held_out: &HeldOutResiduals,
    judge: &HeldOutCases,
    knows_more: bool,
) -> (PredictorChoice, Vec<f64>) {
    let HeldOutResiduals { names, residuals, .. } = held_out;
    let at = |name: &str| names.iter().position(|n| *n == name).expect("always a candidate");
    let (shrink, flat) = (&held_out.alone, &residuals[at(FLAT)]);
    let combination = cross_weighted_residuals(residuals, judge);
    let [ours, theirs, plain] =
        [shrink, &combination, flat].map(|residuals| judge.nmae(residuals).0);
    let percent = |nmae: f64| format!("{:.2} %", 100.0 * nmae);
    let alone = |name: &str| names.iter().map(|n| f64::from(u8::from(*n == name))).collect();
    let lost = judge.loses(shrink, flat);
    let is_as_good = match knows_more {
        true => !judge.is_worse(shrink, &combination),
        false => ours <= theirs,
    };
    let (chosen, why, weights): (_, _, Vec<f64>) = if lost.is_none() && ours <= plain && is_as_good
    {
        let against = format!("NMAE {} against {}", percent(ours), percent(theirs));
        let why = match ours <= theirs {
            true => {
                format!("it predicts held-out cases as well as the best combination ({against})")
            }
            false => format!(
                "held-out cases don't tell it from the best combination ({against}), and it \
                     knows more of single costs than totals of cases tell"
            ),
        };
        (SHRINK, why, alone(SHRINK))
    } else if theirs <= plain && judge.loses(&combination, flat).is_none() {
        let against = format!("NMAE {} against {}", percent(theirs), percent(ours));
        let why = match lost {
            Some(fold) => format!(
                "shrink loses to one cost for all operations in fold {} ({against} in all)",
                fold + 1
            ),
            None => format!("it predicts held-out cases better than shrink ({against})"),
        };
        ("combination", why, convex_weights(residuals, |_| true))
    } else {
        let why = format!(
            "nothing beats one cost for all operations on held-out cases (NMAE {}; the best \
                 combination {})",
            percent(plain),
            percent(theirs)
        );
        (FLAT, why, alone(FLAT))
    };
    let candidates =
        names.iter().zip(residuals).zip(&weights).map(|((name, residuals), weight)| {
            let residuals = if *name == SHRINK { shrink } else { residuals };
            let (nmae, nmae_se) = judge.nmae(residuals);
            CandidateScore { name: (*name).to_owned(), nmae, nmae_se, weight: *weight }
        });
    let candidates = candidates.collect();
    (PredictorChoice { chosen: chosen.to_owned(), why, folds: judge.folds(), candidates }, weights)
}

/// Returns the held-out residuals of the chosen predictor.
fn chosen_residuals(
    held_out: &HeldOutResiduals,
    judge: &HeldOutCases,
    choice: &PredictorChoice,
) -> Vec<f64> {
    match choice.chosen.as_str() {
        SHRINK => held_out.alone.clone(),
        FLAT => {
            let at = held_out.names.iter().position(|name| *name == FLAT);
            at.map_or_else(Vec::new, |at| held_out.residuals[at].clone())
        }
        _ => cross_weighted_residuals(&held_out.residuals, judge),
    }
}

/// Returns residuals of the combination, in each fold by weights that were fitted to the others.
fn cross_weighted_residuals(residuals: &[Vec<f64>], judge: &HeldOutCases) -> Vec<f64> {
    let mut mixed = vec![0.0; residuals[0].len()];
    for fold in 0..judge.folds() {
        let weights = convex_weights(residuals, |i| judge.fold_of[i] != fold);
        for i in (0..mixed.len()).filter(|i| judge.fold_of[*i] == fold) {
            mixed[i] = weights.iter().zip(residuals).map(|(w, r)| w * r[i]).sum();
        }
    }
    mixed
}

/// Returns the weighted mean of the fits. It predicts cases only with microbenchmarks, as it
/// divides energy among operations in whatever way totals leave open, and where it leaves
/// operations next to nothing, which are not free for that. The covariance is that of `shrink` plus
/// that between the fits.
fn combine_fits(
    wide: &ExtendedDesign<'_>,
    shrunk: Solution,
    parts: &[(f64, Vec<f64>)],
    mut stacked: StackedChoice,
) -> Solution {
    let l = wide.operations();
    let mean = |j: usize| parts.iter().map(|(weight, b)| weight * b[j]).sum::<f64>();
    let b: Vec<f64> = (0..wide.design.columns()).map(mean).collect();
    let beside = &wide.design.costs(&b)[l..];
    let constant =
        ConstantEnergy { case_j: beside[0], second_w: beside.get(1).copied().unwrap_or(0.0) };
    stacked.constant = (constant != ConstantEnergy::default()).then_some(constant);
    if stacked.choice.chosen == SHRINK {
        return Solution { stacked: Some(stacked), ..shrunk };
    }
    let b = b[..l].to_vec();
    let paid = |part: &[f64]| part.iter().filter(|b| **b > 0.0).count() as f64;
    let parameters = parts.iter().map(|(weight, part)| weight * paid(part)).sum();
    if shrunk.diagnostics["microbenchmark_priors"] > 0.0 || energy_share(wide, &b) < NEXT_TO_NOTHING
    {
        stacked.case_b = Some(b);
        return Solution { parameters, stacked: Some(stacked), ..shrunk };
    }
    let apart = |(weight, part): &(f64, Vec<f64>)| {
        Mat::from_fn(l, l, |i, j| weight * (part[i] - b[i]) * (part[j] - b[j]))
    };
    let covariance = shrunk.covariance.map(|of_shrink| Covariance {
        of_b: parts.iter().map(apart).fold(of_shrink.of_b, |sum, apart| sum + apart),
        ..of_shrink
    });
    let diagnostics = diagnostics([("effective_parameters", parameters)]);
    Solution { b, covariance, parameters, diagnostics, stacked: Some(stacked), ..shrunk }
}

/// Returns the part of the cases' energy that costs of operations explain.
fn energy_share(wide: &ExtendedDesign<'_>, b: &[f64]) -> f64 {
    let design = wide.narrow;
    let row = |i: usize| b.iter().enumerate().map(|(j, b)| design.x[(i, j)] * b).sum::<f64>();
    (0..design.y.len()).map(row).sum::<f64>() / design.y.iter().sum::<f64>()
}

#[cfg(test)]
mod tests;

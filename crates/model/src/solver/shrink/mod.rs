//! The default of the library: costs >= 0, drawn towards their prior, as strongly as an inner
//! cross-validation prefers; among strengths that it cannot separate, as strongly as is most
//! probable. (Cross-validation alone sees only the sums of cases, and leaves single costs a wide
//! choice.)
//!
//! Costs that are only guessed have a t distribution, whose tails let go what the cases
//! find to be far from the guess; it is approached by Gaussians.
//!
//! Minimises `|Xb - y|^2 + strength (b - mean)' P (b - mean)` over `b >= 0`: the most probable
//! costs for Gaussian noise of variance `s^2` and a Gaussian prior of covariance `t^2 P^-1`,
//! `strength = s^2/t^2`. The intervals are the posterior's: covariance `(X'X/s^2 + P/t^2)^-1`, with
//! `s^2` the minimum per case (its most probable value) and `t^2 = s^2/strength`; with
//! microbenchmarks whose errors are used as stated, `t^2 = 1` and `s^2` as [`choose_misfit`] finds
//! it. They leave the bound at zero out of account, which makes them wider than need be, never
//! narrower.

mod beliefs;
mod microbenchmark_hypotheses;
mod prior;

use faer::Mat;
use wattline_units::assumptions::Assumptions;

use self::beliefs::Beliefs;
use self::microbenchmark_hypotheses::{MicrobenchmarkHypothesis, MisfitChoice, choose_misfit};
use self::prior::GaussianPrior;
use super::super::design::Design;
use super::super::error::ModelError;
use super::super::gram::Gram;
use super::super::linear::{dot, invert_positive, log_determinant, matrix_times_vector};
use super::super::options::{FitOptions, Penalty};
use super::super::tuning::{score_strengths, strengths_by_decade};
use super::nnls::{NnlsStart, minimise};
use super::solution::{Covariance, MicrobenchmarkSolution, Solution, SolvedScope, diagnostics};

/// Steps towards the t distribution of guessed costs: where many of them are far more expensive
/// than guessed, each step lets go a little more, and costs beside them are wrong until then.
const REWEIGHTINGS: usize = 30;

/// Relative change of the noise's variance at which these steps end.
const SETTLED: f64 = 0.01;

pub(super) fn solve(design: &Design, options: &FitOptions) -> Result<Solution, ModelError> {
    let gram = design.gram();
    let ShrinkageSetup { beliefs, misfit, strength, noise, contradicted } =
        shrinkage_setup(design, options, &gram)?;
    let prior = beliefs.prior(&gram);
    let (b, prior) = most_probable(&gram, &prior, strength, NnlsStart::Near(&prior.mean))?;
    let noise = noise.unwrap_or_else(|| {
        // Cases that hardly suffice for the costs leave small residuals, but no small noise.
        let noise = self::noise(&gram, &prior, strength, &b);
        let share = design.assumed.supposed_noise_share;
        noise.max((1.0 - share) * noise + share * design.noise.unwrap_or(0.0))
    });
    let least = match options.penalty {
        Penalty::Fixed(_) | Penalty::CrossValidated if !beliefs.is_by_share() => {
            design.assumed.cost_variance_least
        }
        _ => 0.0,
    };
    let spread = f64::max(noise / strength, least);
    let of_b = covariance(&gram, &prior, noise, spread)?;
    let parameters = trace_of_product(&of_b, &gram.xx) / noise;
    let diagnostics = diagnostics([
        ("prior_strength", strength),
        ("noise_relative", noise.sqrt()),
        ("prior_spread", spread.sqrt()),
        ("common_cost_j", prior.common_cost),
        ("prior_by_share", f64::from(u8::from(beliefs.is_by_share()))),
        ("microbenchmark_priors", beliefs.microbenchmarks() as f64),
        ("microbenchmark_misfit", misfit),
        ("effective_parameters", parameters),
    ]);
    let covariance = Some(Covariance { of_b, scope: SolvedScope::All });
    Ok(Solution {
        b,
        covariance,
        intervals: None,
        draws: Vec::new(),
        parameters,
        diagnostics,
        of_microbenchmarks: contradicted
            .map(|hypothesis| solve_by_microbenchmarks(&gram, &hypothesis))
            .transpose()?,
        stacked: None,
    })
}

/// Finds the costs by microbenchmarks alone: what the cases contradict is left to the noise.
fn solve_by_microbenchmarks(
    gram: &Gram,
    hypothesis: &MicrobenchmarkHypothesis,
) -> Result<MicrobenchmarkSolution, ModelError> {
    let prior = hypothesis.beliefs.prior(gram);
    let (b, near) = most_probable(gram, &prior, hypothesis.noise, NnlsStart::Near(&prior.mean))?;
    Ok(MicrobenchmarkSolution { of_b: covariance(gram, &near, hypothesis.noise, 1.0)?, b })
}

/// Prior, strength and noise that the costs are found with.
struct ShrinkageSetup {
    /// Prior information on the costs.
    beliefs: Beliefs,
    /// Relative misfit of microbenchmarks beside the errors that they state.
    misfit: f64,
    /// Strength of the prior.
    strength: f64,
    /// Variance of the noise, where it was needed for the strength.
    noise: Option<f64>,
    /// The hypothesis of the assumed misfit, where the cases contradict it.
    contradicted: Option<MicrobenchmarkHypothesis>,
}

fn shrinkage_setup(
    design: &Design,
    options: &FitOptions,
    gram: &Gram,
) -> Result<ShrinkageSetup, ModelError> {
    let misfit = design.assumed.microbenchmark_misfit;
    let beliefs = || Beliefs::new(design, &options.priors, misfit);
    let (beliefs, strength) = match options.penalty {
        Penalty::AsStated => {
            let MisfitChoice {
                hypothesis: MicrobenchmarkHypothesis { beliefs, noise },
                misfit,
                contradicted,
            } = choose_misfit(design, options, gram)?;
            let (strength, noise) = (noise, Some(noise));
            return Ok(ShrinkageSetup { beliefs, misfit, strength, noise, contradicted });
        }
        Penalty::Fixed(strength) => (beliefs()?, strength),
        Penalty::CrossValidated => tune_prior(design, options, beliefs()?, gram)?,
    };
    Ok(ShrinkageSetup { beliefs, misfit, strength, noise: None, contradicted: None })
}

/// Finds scaled costs by the rows of `gram`, at the strength and by the sort of prior that `whole`,
/// a solution of the design, found.
pub(super) fn refit(
    design: &Design,
    options: &FitOptions,
    gram: &Gram,
    whole: &Solution,
) -> Result<Vec<f64>, ModelError> {
    let beliefs = match whole.diagnostics["prior_by_share"] > 0.0 {
        true => Beliefs::by_share(design),
        false => Beliefs::new(design, &options.priors, whole.diagnostics["microbenchmark_misfit"])?,
    };
    let prior = beliefs.prior(gram);
    let strength = whole.diagnostics["prior_strength"];
    Ok(most_probable(gram, &prior, strength, NnlsStart::Near(&prior.mean))?.0)
}

/// Returns the prior, and the most probable of the strengths that do best in cross-validation.
fn tune_prior(
    design: &Design,
    options: &FitOptions,
    mut beliefs: Beliefs,
    gram: &Gram,
) -> Result<(Beliefs, f64), ModelError> {
    let score = |beliefs: &Beliefs, per_decade: i32| {
        let path = |gram: &Gram, grid: &[f64]| path(gram, beliefs, grid);
        score_strengths(design, options.inner_folds, strengths_by_decade(0, -7, per_decade), path)
    };
    let untuned = design.assumed.untuned_strength;
    let Some(mut scores) = score(&beliefs, 2)? else { return Ok((beliefs, untuned)) };
    if beliefs.microbenchmarks() == 0 {
        let by_share = Beliefs::by_share(design);
        if let Some(others) =
            score(&by_share, 1)?.filter(|others| scores.is_clearly_beaten_by(others))
        {
            (beliefs, scores) = (by_share, others);
        }
    }
    let strength = most_probable_strength(gram, &beliefs, scores.within_error(), &design.assumed)?;
    Ok((beliefs, strength))
}

/// Returns the strength, among `strengths`, under which the energies are most probable. Strengths
/// that hold guesses more tightly than the least variance are ruled out; if all do, the weakest is
/// left.
fn most_probable_strength(
    gram: &Gram,
    beliefs: &Beliefs,
    strengths: impl Iterator<Item = f64>,
    assumed: &Assumptions,
) -> Result<f64, ModelError> {
    let prior = beliefs.prior(gram);
    let mut best = (f64::INFINITY, assumed.untuned_strength);
    for strength in strengths {
        let (b, near) = most_probable(gram, &prior, strength, NnlsStart::Near(&prior.mean))?;
        let spread = noise(gram, &near, strength, &b) / strength;
        let is_too_tight = beliefs.is_by_common_cost() && spread < assumed.cost_variance_least;
        let surprise = match is_too_tight {
            true => f64::MAX,
            false => surprise(gram, &near, strength, &b)?,
        };
        if surprise <= best.0 {
            best = (surprise, strength);
        }
    }
    Ok(best.1)
}

/// Returns minus twice the logarithm of the energies' probability, but for a constant, with the
/// noise at its most probable value and the bound at zero left out of account:
/// `m ln(minimum) + ln det(X'X + strength P) - ln det(strength P)`.
fn surprise(
    gram: &Gram,
    near: &GaussianPrior,
    strength: f64,
    b: &[f64],
) -> Result<f64, ModelError> {
    let freedom = log_determinant_ratio(gram, near, strength)?;
    Ok(gram.rows as f64 * objective(gram, near, strength, b).ln() + freedom)
}

/// Returns `ln det(X'X + strength P) - ln det(strength P)`, the part of the costs in the
/// probability of energies.
fn log_determinant_ratio(
    gram: &Gram,
    near: &GaussianPrior,
    strength: f64,
) -> Result<f64, ModelError> {
    let what = "the prior's precision";
    let log_det =
        |a: &Mat<f64>| log_determinant(a.as_ref()).ok_or(ModelError::Decomposition { what });
    let pull = &near.precision * faer::Scale(strength);
    Ok(log_det(&(&gram.xx + &pull))? - log_det(&pull)?)
}

/// Fits at every strength, each from the one before.
fn path(gram: &Gram, beliefs: &Beliefs, grid: &[f64]) -> Result<Vec<Vec<f64>>, ModelError> {
    let prior = beliefs.prior(gram);
    let mut b = prior.mean.clone();
    grid.iter()
        .map(|strength| {
            b = most_probable(gram, &prior, *strength, NnlsStart::Near(&b))?.0;
            Ok(b.clone())
        })
        .collect()
}

/// Finds the most probable costs, and the Gaussian that the prior is near them.
fn most_probable(
    gram: &Gram,
    prior: &GaussianPrior,
    strength: f64,
    start: NnlsStart<'_>,
) -> Result<(Vec<f64>, GaussianPrior), ModelError> {
    let mut local = prior.clone();
    let mut b = minimum(gram, &local, strength, start)?;
    let mut before = f64::INFINITY;
    for _ in 0..REWEIGHTINGS {
        let noise = noise(gram, &local, strength, &b);
        if (before / noise - 1.0).abs() < SETTLED {
            break;
        }
        before = noise;
        local = prior.reweighted(&b, noise / strength);
        b = minimum(gram, &local, strength, NnlsStart::Near(&b))?;
    }
    Ok((b, local))
}

fn minimum(
    gram: &Gram,
    prior: &GaussianPrior,
    strength: f64,
    start: NnlsStart<'_>,
) -> Result<Vec<f64>, ModelError> {
    let a = &gram.xx + &prior.precision * faer::Scale(strength);
    let pull = matrix_times_vector(prior.precision.as_ref(), &prior.mean);
    let rhs: Vec<f64> = gram.xy.iter().zip(&pull).map(|(xy, pull)| xy + strength * pull).collect();
    Ok(minimise(&a, &rhs, start)?.b)
}

/// Returns the minimised function; a little above zero even for a perfect fit, so that it can be
/// divided by.
fn objective(gram: &Gram, prior: &GaussianPrior, strength: f64, b: &[f64]) -> f64 {
    (gram.squared_error(b) + strength * pull_squared(prior, b)).max(1e-20 * gram.rows as f64)
}

/// `(b - mean)' P (b - mean)`.
fn pull_squared(prior: &GaussianPrior, b: &[f64]) -> f64 {
    let off: Vec<f64> = b.iter().zip(&prior.mean).map(|(b, mean)| b - mean).collect();
    dot(&off, &matrix_times_vector(prior.precision.as_ref(), &off))
}

/// Returns the most probable variance of the noise: the minimum per case.
fn noise(gram: &Gram, prior: &GaussianPrior, strength: f64, b: &[f64]) -> f64 {
    objective(gram, prior, strength, b) / gram.rows as f64
}

fn covariance(
    gram: &Gram,
    prior: &GaussianPrior,
    noise: f64,
    spread: f64,
) -> Result<Mat<f64>, ModelError> {
    let precision =
        &gram.xx * faer::Scale(1.0 / noise) + &prior.precision * faer::Scale(1.0 / spread);
    let what = "the posterior precision of the costs";
    invert_positive(precision.as_ref()).ok_or(ModelError::Decomposition { what })
}

fn trace_of_product(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    (0..a.ncols()).map(|j| (0..a.nrows()).map(|i| a[(i, j)] * b[(j, i)]).sum::<f64>()).sum()
}

#[cfg(test)]
mod tests;

//! Joint fit of costs and block effects: costs by weights that are lower for outlying areas, width
//! and tails of the effects by the likelihood of the residuals, in alternation.

use super::mixture::Mixture;
use super::system::{AreaSolution, AreaSystem};
use super::{AreaEstimationError, BlockEffectTails};

/// Degrees of freedom that are tried; none of normal effects.
const FREEDOMS: [Option<f64>; 6] = [None, Some(30.0), Some(10.0), Some(5.0), Some(3.0), Some(2.0)];
/// Largest number of iterations.
const ITERATIONS_MAX: usize = 25;
/// Relative change of `s` at which an iteration is the last: far below its standard error.
const PRECISION: f64 = 1e-4;
/// Distance in `ln s^2` that the first search covers around the present width, and later ones.
const REACH: [f64; 2] = [4.0, 0.5];
/// Least `s^2` around which the first search looks.
const BEGINNING: f64 = 1e-2;
/// Resolution of the first search in `ln s^2`, and of later ones.
const GRAIN: [f64; 2] = [0.02, PRECISION];

/// Returns block effects and costs, starting from normal effects of this variance.
pub(super) fn fit_costs_and_effects(
    system: &AreaSystem,
    variance: f64,
    tails: BlockEffectTails,
) -> Result<(Mixture, AreaSolution), AreaEstimationError> {
    let mut place = Mixture::normal(variance);
    let mut solution = solve_costs(system, &place, &vec![0.0; system.areas()])?;
    if tails == BlockEffectTails::Normal {
        return Ok((place, solution));
    }
    for iteration in 0..ITERATIONS_MAX {
        let next = likeliest_effects(system, &solution, &place, iteration);
        let moved = (next.variance.sqrt() - place.variance.sqrt()).abs();
        let is_same = next.freedom == place.freedom && moved <= PRECISION * next.variance.sqrt();
        place = next;
        solution = solve_costs(system, &place, &solution.residuals)?;
        if is_same {
            break;
        }
    }
    Ok((place, solution))
}

/// Solves for the costs, with areas weighted by their expected precision given their residuals.
fn solve_costs(
    system: &AreaSystem,
    place: &Mixture,
    residuals: &[f64],
) -> Result<AreaSolution, AreaEstimationError> {
    let precision = |a: usize| {
        let psi = system.psi[a];
        let after = place.effects_after(system.scale[a], psi, residuals[a]);
        after.iter().map(|effect| effect.likely / (effect.variance + psi)).sum()
    };
    let weight = |a: usize| if system.is_sampled(a) { precision(a) } else { 0.0 };
    system.solve(&(0..system.areas()).map(weight).collect::<Vec<f64>>())
}

/// Returns the effects with the width and tails under which the residuals are likeliest: among all
/// tails in the first iteration, then among the present ones and their neighbours.
fn likeliest_effects(
    system: &AreaSystem,
    solution: &AreaSolution,
    now: &Mixture,
    iteration: usize,
) -> Mixture {
    let widened = widened_residuals(system, solution, now);
    let likelihood = |place: &Mixture| -> f64 {
        let one = |(a, r): &(usize, f64)| place.log_density(system.scale[*a], system.psi[*a], *r);
        widened.iter().map(one).sum::<f64>() + log_width_prior(place.variance)
    };
    let at = FREEDOMS.iter().position(|freedom| *freedom == now.freedom).unwrap_or(0);
    let near = |k: &usize| iteration == 0 || k.abs_diff(at) <= 1;
    let least = if iteration == 0 { BEGINNING } else { f64::MIN_POSITIVE };
    let middle = now.variance.max(least).ln();
    let range = (middle - REACH[iteration.min(1)], middle + REACH[iteration.min(1)]);
    let grain = GRAIN[iteration.min(1)];
    let shape = |k: usize| Mixture::of(now.variance, FREEDOMS[k]);
    let each = (0..FREEDOMS.len())
        .filter(near)
        .map(|k| likeliest_width(&shape(k), &likelihood, range, grain));
    let best = each.max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or_else(|| now.clone(), |(_, place)| place)
}

/// Returns the logarithm of the prior density of a width: `ln s^2` has the standard logistic
/// distribution, so block effects are as large as the energies, give or take a factor of six. The
/// likelihood of few areas often has its maximum without any block effect, or no upper bound (it is
/// adjusted likewise by Li and Lahiri 2010); many areas outweigh this prior.
fn log_width_prior(variance: f64) -> f64 {
    variance.ln() - 2.0 * variance.ln_1p()
}

/// Returns number and residual of the areas with samples, the residuals as large as they would be
/// had the costs not been fitted to them: fitting leaves `1 - h` of a variance.
fn widened_residuals(
    system: &AreaSystem,
    solution: &AreaSolution,
    place: &Mixture,
) -> Vec<(usize, f64)> {
    let sampled = (0..system.areas()).filter(|a| system.is_sampled(*a));
    let widen = |a: usize| {
        let variance = place.variance * system.scale[a].powi(2) + system.psi[a];
        let left = (1.0 - solution.spread[a] / variance).clamp(0.1, 1.0);
        (a, solution.residuals[a] / left.sqrt())
    };
    sampled.map(widen).collect()
}

/// Finds the likeliest width of one shape by golden-section search in `ln s^2`; returns log
/// likelihood and effects.
fn likeliest_width(
    shape: &Mixture,
    likelihood: &impl Fn(&Mixture) -> f64,
    (mut low, mut high): (f64, f64),
    grain: f64,
) -> (f64, Mixture) {
    let at = |log: f64| {
        let place = shape.with_variance(log.exp());
        (likelihood(&place), place)
    };
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut left, mut right) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_left, mut at_right) = (at(left), at(right));
    while high - low > grain {
        if at_left.0 >= at_right.0 {
            (high, right, at_right) = (right, left, at_left);
            left = high - ratio * (high - low);
            at_left = at(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + ratio * (high - low);
            at_right = at(right);
        }
    }
    if at_left.0 >= at_right.0 { at_left } else { at_right }
}

//! Costs and place effects together: costs by weights that count far-out areas less, the
//! effects' width and tails by the likelihood of what the costs leave, in turns.

use super::mixture::Mixture;
use super::system::{AreaSolution, System};
use super::{AreaError, Tails};

/// Degrees of freedom that are tried; none of normal effects.
const FREEDOMS: [Option<f64>; 6] = [None, Some(30.0), Some(10.0), Some(5.0), Some(3.0), Some(2.0)];
/// The most turns.
const TURNS: usize = 25;
/// Relative change of `s` at which a turn is the last: far below its standard error.
const PRECISION: f64 = 1e-4;
/// How far from the present width, in `ln s^2`, the first search looks, and later ones.
const REACH: [f64; 2] = [4.0, 0.5];
/// Least `s^2` around which the first search looks.
const BEGINNING: f64 = 1e-2;
/// How finely, in `ln s^2`.
const GRAIN: [f64; 2] = [0.02, PRECISION];

/// Place effects and costs, from where normal effects left off.
pub(super) fn settle(
    system: &System,
    variance: f64,
    tails: Tails,
) -> Result<(Mixture, AreaSolution), AreaError> {
    let mut place = Mixture::normal(variance);
    let mut solution = solve(system, &place, &vec![0.0; system.areas()])?;
    if tails == Tails::Normal {
        return Ok((place, solution));
    }
    for turn in 0..TURNS {
        let next = likeliest(system, &solution, &place, turn);
        let moved = (next.variance.sqrt() - place.variance.sqrt()).abs();
        let is_same = next.freedom == place.freedom && moved <= PRECISION * next.variance.sqrt();
        place = next;
        solution = solve(system, &place, &solution.residuals)?;
        if is_same {
            break;
        }
    }
    Ok((place, solution))
}

/// Costs, where areas weigh by their expected precision after what was left of them.
fn solve(system: &System, place: &Mixture, residuals: &[f64]) -> Result<AreaSolution, AreaError> {
    let precision = |a: usize| {
        let psi = system.psi[a];
        let after = place.after(system.scale[a], psi, residuals[a]);
        after.iter().map(|effect| effect.likely / (effect.variance + psi)).sum()
    };
    let weight = |a: usize| if system.is_sampled(a) { precision(a) } else { 0.0 };
    system.solve(&(0..system.areas()).map(weight).collect::<Vec<f64>>())
}

/// The width and tails under which the residuals are likeliest: of all tails in the first
/// turn, then of the present ones and their neighbours.
fn likeliest(system: &System, solution: &AreaSolution, now: &Mixture, turn: usize) -> Mixture {
    let widened = widened(system, solution, now);
    let likelihood = |place: &Mixture| -> f64 {
        let one = |(a, r): &(usize, f64)| place.log_density(system.scale[*a], system.psi[*a], *r);
        widened.iter().map(one).sum::<f64>() + log_beforehand(place.variance)
    };
    let at = FREEDOMS.iter().position(|freedom| *freedom == now.freedom).unwrap_or(0);
    let near = |k: &usize| turn == 0 || k.abs_diff(at) <= 1;
    let least = if turn == 0 { BEGINNING } else { f64::MIN_POSITIVE };
    let middle = now.variance.max(least).ln();
    let range = (middle - REACH[turn.min(1)], middle + REACH[turn.min(1)]);
    let grain = GRAIN[turn.min(1)];
    let shape = |k: usize| Mixture::of(now.variance, FREEDOMS[k]);
    let each =
        (0..FREEDOMS.len()).filter(near).map(|k| widest(&shape(k), &likelihood, range, grain));
    let best = each.max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or_else(|| now.clone(), |(_, place)| place)
}

/// Logarithm of how likely a width is beforehand: `ln s^2` has the standard logistic
/// distribution, so places are off by their own size, give or take a factor of six. Few areas
/// often look as if there were no place effects at all, or don't bound them (their likelihood
/// is adjusted likewise by Li and Lahiri 2010); many outweigh this.
fn log_beforehand(variance: f64) -> f64 {
    variance.ln() - 2.0 * variance.ln_1p()
}

/// Residuals of the areas with samples, as large as they would be had the costs not been
/// fitted to them: fitting leaves `1 - h` of a variance.
fn widened(system: &System, solution: &AreaSolution, place: &Mixture) -> Vec<(usize, f64)> {
    let sampled = (0..system.areas()).filter(|a| system.is_sampled(*a));
    let widen = |a: usize| {
        let variance = place.variance * system.scale[a].powi(2) + system.psi[a];
        let left = (1.0 - solution.spread[a] / variance).clamp(0.1, 1.0);
        (a, solution.residuals[a] / left.sqrt())
    };
    sampled.map(widen).collect()
}

/// Golden-section search for the width of one shape, in `ln s^2`.
fn widest(
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

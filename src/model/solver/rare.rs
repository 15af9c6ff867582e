//! Operations too rare to have a cost of their own. A solver without a prior may give
//! them any: where such an operation is less rare in a case it has not seen, the energy
//! explodes. So they are drawn to the common cost, unless the cases tell theirs beyond
//! doubt; all others are left alone.

use faer::Mat;

use super::super::design::Design;
use super::super::error::ModelError;
use super::super::estimability::{OUTSIDE, inflation, outside};
use super::super::gram::Gram;
use super::super::linear::{Spectrum, dot, times};
use super::{Covariance, Solution};

/// Noise of a case supposed here, relative to its energy.
const NOISE: f64 = 0.02;

/// A rare operation whose cost by least squares is this many standard errors from zero
/// (for that noise) is told by the cases: a garbage collection is rare, and dear.
const BEYOND_DOUBT: f64 = 4.0;

/// Which of the rare columns are to be held near the common cost.
pub(crate) fn doubtful(design: &Design, tolerance: f64) -> Result<Vec<bool>, ModelError> {
    if !design.rare.contains(&true) {
        return Ok(design.rare.clone());
    }
    let spectrum = Spectrum::of(design.x.as_ref(), tolerance)?;
    let uy = times(spectrum.u.transpose(), &design.y);
    let along: Vec<f64> = uy.iter().zip(&spectrum.s).map(|(uy, s)| uy / s).collect();
    let b = times(spectrum.v.as_ref(), &along);
    let told = |j: usize| {
        outside(&spectrum, j) < OUTSIDE
            && b[j].abs() > BEYOND_DOUBT * NOISE * inflation(&spectrum, j).sqrt()
    };
    Ok((0..design.columns()).map(|j| design.rare[j] && !told(j)).collect())
}

/// A problem with a further equation for every rare column: its cost is the common one,
/// give or take 100 %.
pub(super) struct Held {
    /// The problem, its columns of length 1 again.
    pub design: Design,
    /// What its columns were divided by for that.
    factors: Vec<f64>,
}

impl Held {
    /// `None` where no column is rare.
    pub fn of(design: &Design) -> Option<Self> {
        let rare: Vec<usize> = (0..design.columns()).filter(|j| design.rare[*j]).collect();
        if rare.is_empty() || rare.len() == design.columns() {
            return None;
        }
        let common = common_cost(design)?;
        let mut factors = vec![1.0; design.columns()];
        let pulls: Vec<f64> = rare.iter().map(|j| NOISE / (common * design.scale[*j])).collect();
        for (j, pull) in rare.iter().zip(&pulls) {
            factors[*j] = f64::hypot(1.0, *pull);
        }
        let rows = design.x.nrows();
        let entry = |i: usize, j: usize| match i.checked_sub(rows) {
            None => design.x[(i, j)],
            Some(at) if rare[at] == j => pulls[at],
            Some(_) => 0.0,
        };
        let x = Mat::from_fn(rows + rare.len(), design.columns(), |i, j| entry(i, j) / factors[j]);
        let mut y = design.y.clone();
        y.resize(rows + rare.len(), NOISE);
        Some(Self { design: Design { x, y, ..design.clone() }, factors })
    }

    /// Coefficients of the problem as they were.
    pub fn undo(&self, b: &[f64]) -> Vec<f64> {
        b.iter().zip(&self.factors).map(|(b, factor)| b / factor).collect()
    }

    /// The same for a whole solution.
    pub fn undone(&self, solution: Solution) -> Solution {
        let of = &self.factors;
        let covariance = solution.covariance.map(|found| {
            let l = found.of_b.ncols();
            let of_b = Mat::from_fn(l, l, |i, j| found.of_b[(i, j)] / (of[i] * of[j]));
            Covariance { of_b, ..found }
        });
        let mut diagnostics = solution.diagnostics;
        let held = of.iter().filter(|factor| **factor != 1.0).count();
        diagnostics.insert("held_costs".to_owned(), held as f64);
        Solution { b: self.undo(&solution.b), covariance, diagnostics, ..solution }
    }

    /// Coefficients of this problem from those of the problem as it was.
    pub fn redo(&self, b: &[f64]) -> Vec<f64> {
        b.iter().zip(&self.factors).map(|(b, factor)| b * factor).collect()
    }
}

/// The one cost for all that explains the energies best, in joules; `None` where it is
/// not positive.
fn common_cost(design: &Design) -> Option<f64> {
    let gram = Gram::of(design);
    let explained = times(gram.xx.as_ref(), &design.scale);
    let cost = dot(&design.scale, &gram.xy) / dot(&design.scale, &explained);
    (cost.is_finite() && cost > 0.0).then_some(cost)
}

#[cfg(test)]
mod tests {
    use crate::dataset::Table;
    use crate::model::testing::table;
    use crate::model::{FitOptions, Solver, fit};

    /// 1e6 executions of the first operation per case, 1 nJ each; the second ran 3 times in
    /// one case of 12, whose energy is `extra` times what the first explains.
    fn with_a_rare_one(extra: f64) -> Table {
        let rows: Vec<Vec<f64>> =
            (1..=12).map(|i| vec![1e6 * f64::from(i), if i == 4 { 3.0 } else { 0.0 }]).collect();
        let energies: Vec<f64> =
            (1..=12).map(|i| 1e-3 * f64::from(i) * if i == 4 { extra } else { 1.0 }).collect();
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        table(&rows, &energies)
    }

    /// Left alone, the second operation would explain a chance 1 % and cost 13 333 times
    /// as much as the first.
    #[test]
    fn a_rare_operation_costs_about_what_all_do() {
        for solver in [Solver::Ls, Solver::Gd, Solver::Nnls] {
            let model = fit(&with_a_rare_one(1.01), &FitOptions::new(solver)).unwrap();
            for cost in &model.costs {
                assert!((cost.cost_j / 1e-9 - 1.0).abs() < 0.01, "{solver:?} {cost:?}");
            }
            assert_eq!(model.diagnostics["held_costs"], 1.0);
        }
    }

    /// Twice the energy is no chance: the operation is dear, as a garbage collection is.
    #[test]
    fn a_rare_and_dear_operation_keeps_its_cost() {
        for solver in [Solver::Ls, Solver::Gd, Solver::Nnls] {
            let model = fit(&with_a_rare_one(2.0), &FitOptions::new(solver)).unwrap();
            assert!((model.costs[1].cost_j / (4e-3 / 3.0) - 1.0).abs() < 1e-6, "{solver:?}");
        }
    }

    /// Columns that are no counts of executions: seconds among cycles are few, not rare.
    #[test]
    fn columns_of_different_sorts_are_left_alone() {
        let mut data = with_a_rare_one(1.01);
        data.counts.iter_mut().for_each(|count| *count *= 0.125);
        let model = fit(&data, &FitOptions::new(Solver::Ls)).unwrap();
        assert!(model.costs[1].cost_j > 1e-6, "{:?}", model.costs[1]);
    }
}

//! Least-squares problem of the solvers: a table with weighted rows and columns of length 1.

use faer::Mat;
use wattline_units::assumptions::Assumptions;

use super::error::ModelError;
use super::gram::{FoldGrams, Gram};
use super::weights::{Weighting, weights};
use crate::table::{Case, Table};

/// `x b = y` with `x[i][j] = sqrt(w_i) n_ij / scale_j`, `y_i = sqrt(w_i) e_i`, and so
/// `cost_j = b_j / scale_j`. The weights are scaled to `sum w e^2 = m`, so that squared
/// residuals are pure numbers: relative to the (weighted) energy of a case.
#[derive(Debug, Clone)]
pub(crate) struct Design {
    /// Column names.
    pub features: Vec<String>,
    /// The group of every case, for folds.
    pub groups: Vec<String>,
    /// Weighted counts, m x l; every column that is not zero has length 1. Of streamed
    /// rows only a root of their cross products is kept: at most l + 1 rows with the same
    /// `X'X` and `X'y`, to which every fit is the same.
    pub x: Mat<f64>,
    /// Weighted energies, or what is left of them beside a root.
    pub y: Vec<f64>,
    /// Roots of the weights, length m: weighted, what each case has once. Empty for a root
    /// of streamed rows.
    pub roots: Vec<f64>,
    /// Weighted durations in seconds, length m; absent where a case has none.
    pub seconds: Option<Vec<f64>>,
    /// Number of cases m.
    pub cases: usize,
    /// The parts of an inner cross-validation, where the rows are streamed; no fewer than
    /// two.
    pub folds: Option<Vec<Gram>>,
    /// Divisors of the columns; for a zero column the median of the others.
    pub scale: Vec<f64>,
    /// Variance of the noise in `y` that the weights suppose; absent where they are only
    /// ratios.
    pub noise: Option<f64>,
    /// Whether a column has any count.
    pub seen: Vec<bool>,
    /// Assumptions about costs and energies.
    pub assumed: Assumptions,
}

impl Design {
    /// Weighs and scales a checked table.
    pub fn new(
        table: &Table,
        weighting: Weighting,
        assumed: Assumptions,
    ) -> Result<Self, ModelError> {
        let (roots, factor) = root_weights(table, weighting, &assumed)?;
        let noise = weighting.are_inverse_variances().then_some(factor * factor);
        let l = table.features.len();
        let mut lengths = vec![0.0; l];
        for (i, root) in roots.iter().enumerate() {
            for (length, count) in lengths.iter_mut().zip(table.row(i)) {
                // hypot: counts of 1e200 must not overflow.
                *length = f64::hypot(*length, root * count);
            }
        }
        let seen: Vec<bool> = lengths.iter().map(|length| *length > 0.0).collect();
        if lengths.iter().any(|length| !length.is_finite()) {
            return Err(ModelError::Decomposition { what: "the weighted count matrix" });
        }
        let typical = typical_length(&lengths);
        let scale: Vec<f64> =
            lengths.into_iter().map(|s| if s > 0.0 { s } else { typical }).collect();
        let x = Mat::from_fn(roots.len(), l, |i, j| roots[i] * table.row(i)[j] / scale[j]);
        let y = table.cases.iter().zip(&roots).map(|(case, root)| root * case.energy_j).collect();
        let groups = table.cases.iter().map(|case| case.group.clone()).collect();
        let (features, cases) = (table.features.clone(), roots.len());
        let weighted = |(case, root): (&Case, &f64)| Some(root * case.duration_s?);
        let seconds = table.cases.iter().zip(&roots).map(weighted).collect();
        let folds = None;
        Ok(Self {
            features,
            groups,
            x,
            y,
            roots,
            seconds,
            cases,
            folds,
            scale,
            noise,
            seen,
            assumed,
        })
    }

    /// Number of cases.
    pub fn rows(&self) -> usize {
        self.cases
    }

    /// Number of predictors.
    pub fn columns(&self) -> usize {
        self.features.len()
    }

    /// Cross products of all rows.
    pub(crate) fn gram(&self) -> Gram {
        Gram { rows: self.rows(), ..Gram::from_rows(&self.x, &self.y) }
    }

    /// Cross products of the given rows.
    pub(crate) fn gram_of(&self, rows: &[usize]) -> Gram {
        let x = Mat::from_fn(rows.len(), self.columns(), |i, j| self.x[(rows[i], j)]);
        let y: Vec<f64> = rows.iter().map(|i| self.y[*i]).collect();
        Gram::from_rows(&x, &y)
    }

    /// Returns the cross products by fold; `fold_of` has the fold of each row.
    pub(crate) fn fold_grams(&self, fold_of: &[usize]) -> FoldGrams {
        let folds = fold_of.iter().max().map_or(0, |last| last + 1);
        let rows = |fold| (0..fold_of.len()).filter(move |i| fold_of[*i] == fold);
        let parts = (0..folds).map(|f| self.gram_of(&rows(f).collect::<Vec<_>>())).collect();
        FoldGrams::new(self.gram(), parts)
    }

    /// Converts scaled coefficients to costs in joules.
    pub fn costs(&self, b: &[f64]) -> Vec<f64> {
        b.iter().zip(&self.scale).map(|(b, scale)| b / scale).collect()
    }

    /// Converts a covariance of scaled coefficients to one of costs in J^2, row-major.
    pub fn covariance(&self, of_b: &Mat<f64>) -> Vec<f64> {
        let l = self.columns();
        let entry = |i: usize, j: usize| of_b[(i, j)] / (self.scale[i] * self.scale[j]);
        // Symmetric to the last bit, whatever the decomposition left.
        (0..l * l).map(|at| (at / l, at % l)).map(|(i, j)| entry(i.min(j), i.max(j))).collect()
    }
}

/// Returns the roots of the weights scaled to `sum w e^2 = m`, and the factor of the roots.
fn root_weights(
    table: &Table,
    weighting: Weighting,
    assumed: &Assumptions,
) -> Result<(Vec<f64>, f64), ModelError> {
    let mut roots = weights(table, weighting, assumed)?;
    roots.iter_mut().for_each(|w| *w = w.sqrt());
    let length = table
        .cases
        .iter()
        .zip(&roots)
        .fold(0.0, |length, (case, root)| f64::hypot(length, root * case.energy_j));
    let factor = if length > 0.0 { (table.cases.len() as f64).sqrt() / length } else { 1.0 };
    roots.iter_mut().for_each(|root| *root *= factor);
    Ok((roots, factor))
}

/// Returns the divisor of a column without counts: the median length of the others.
pub(crate) fn typical_length(lengths: &[f64]) -> f64 {
    let mut positive: Vec<f64> = lengths.iter().copied().filter(|s| *s > 0.0).collect();
    positive.sort_by(f64::total_cmp);
    positive.get(positive.len() / 2).copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::table;

    #[test]
    fn columns_have_length_one_and_energies_a_mean_square_of_one() {
        let data = table(&[&[3.0, 1e12, 0.0], &[4.0, 0.0, 0.0]], &[1e-3, 2e-3]);
        let design = Design::new(&data, Weighting::Equal, Assumptions::default()).unwrap();
        assert!((design.y.iter().map(|y| y * y).sum::<f64>() - 2.0).abs() < 1e-12);
        assert!((design.x[(0, 0)] - 0.6).abs() < 1e-15 && (design.x[(1, 0)] - 0.8).abs() < 1e-15);
        assert!((design.x[(0, 1)] - 1.0).abs() < 1e-15);
        assert_eq!(design.seen, [true, true, false]);
        let cost = design.costs(&[design.scale[0], 0.0, 0.0])[0];
        assert!((cost - 1.0).abs() < 1e-15);
    }

    #[test]
    fn folds_add_up_and_errors_are_those_of_the_rows() {
        let data = table(&[&[1.0, 2.0], &[3.0, 1.0], &[0.0, 2.0]], &[1.0, 2.0, 3.0]);
        let design = Design::new(&data, Weighting::Equal, Assumptions::default()).unwrap();
        let grams = design.fold_grams(&[0, 1, 0]);
        let (training, held_out) = grams.rounds().next().unwrap();
        assert_eq!((training.rows, held_out.rows), (1, 2));
        let only = design.gram_of(&[1]);
        assert!((training.xx[(0, 1)] - only.xx[(0, 1)]).abs() < 1e-14);
        let b = [0.3, -0.2];
        let by_rows: f64 = [0, 2]
            .iter()
            .map(|i| (design.y[*i] - design.x[(*i, 0)] * b[0] - design.x[(*i, 1)] * b[1]).powi(2))
            .sum();
        assert!((held_out.squared_error(&b) - by_rows).abs() < 1e-12);
    }
}

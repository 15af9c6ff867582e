//! Sufficient statistics of a least-squares problem: `X'X`, `X'y`, `y'y`. One pass over
//! the rows, and folds by subtraction; all penalised solvers need nothing else.

use faer::Mat;

use super::design::Design;
use super::linear::{dot, times};

/// Cross products of some rows of a [`Design`].
#[derive(Debug, Clone)]
pub(crate) struct Gram {
    /// `X'X`, l x l.
    pub xx: Mat<f64>,
    /// `X'y`, length l.
    pub xy: Vec<f64>,
    /// `y'y`.
    pub yy: f64,
    /// Number of rows.
    pub rows: usize,
}

impl Gram {
    /// All rows of a design.
    pub fn of(design: &Design) -> Self {
        Self { rows: design.rows(), ..Self::from_rows(&design.x, &design.y) }
    }

    fn from_rows(x: &Mat<f64>, y: &[f64]) -> Self {
        let (xx, xy) = (x.transpose() * x, times(x.transpose(), y));
        Self { xx, xy, yy: dot(y, y), rows: y.len() }
    }

    /// The given rows of a design.
    pub fn of_rows(design: &Design, rows: &[usize]) -> Self {
        let x = Mat::from_fn(rows.len(), design.columns(), |i, j| design.x[(rows[i], j)]);
        let y: Vec<f64> = rows.iter().map(|i| design.y[*i]).collect();
        Self::from_rows(&x, &y)
    }

    /// The rows that are in `self` but not in `part`.
    pub fn without(&self, part: &Self) -> Self {
        Self {
            xx: &self.xx - &part.xx,
            xy: self.xy.iter().zip(&part.xy).map(|(all, part)| all - part).collect(),
            yy: self.yy - part.yy,
            rows: self.rows - part.rows,
        }
    }

    /// Sum of squared residuals of the coefficients `b`; never below zero.
    pub fn squared_error(&self, b: &[f64]) -> f64 {
        (self.yy - 2.0 * dot(b, &self.xy) + dot(b, &times(self.xx.as_ref(), b))).max(0.0)
    }
}

/// A design cut into folds.
pub(crate) struct FoldGrams {
    total: Gram,
    parts: Vec<Gram>,
}

impl FoldGrams {
    /// Cuts by the fold of each row.
    pub fn new(design: &Design, fold_of: &[usize]) -> Self {
        let folds = fold_of.iter().max().map_or(0, |last| last + 1);
        let rows = |fold| (0..fold_of.len()).filter(move |i| fold_of[*i] == fold);
        let parts =
            (0..folds).map(|f| Gram::of_rows(design, &rows(f).collect::<Vec<_>>())).collect();
        Self { total: Gram::of(design), parts }
    }

    /// Folds whose cross products are known.
    pub fn of_parts(total: Gram, parts: Vec<Gram>) -> Self {
        Self { total, parts }
    }

    /// Per fold: what to fit to, and what to judge on.
    pub fn rounds(&self) -> impl Iterator<Item = (Gram, &Gram)> {
        self.parts.iter().map(|part| (self.total.without(part), part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::table;
    use crate::model::weights::Weighting;

    #[test]
    fn folds_add_up_and_errors_are_those_of_the_rows() {
        let data = table(&[&[1.0, 2.0], &[3.0, 1.0], &[0.0, 2.0]], &[1.0, 2.0, 3.0]);
        let design = Design::new(&data, Weighting::Equal).unwrap();
        let grams = FoldGrams::new(&design, &[0, 1, 0]);
        let (training, held_out) = grams.rounds().next().unwrap();
        assert_eq!((training.rows, held_out.rows), (1, 2));
        let only = Gram::of_rows(&design, &[1]);
        assert!((training.xx[(0, 1)] - only.xx[(0, 1)]).abs() < 1e-14);
        let b = [0.3, -0.2];
        let by_rows: f64 = [0, 2]
            .iter()
            .map(|i| (design.y[*i] - design.x[(*i, 0)] * b[0] - design.x[(*i, 1)] * b[1]).powi(2))
            .sum();
        assert!((held_out.squared_error(&b) - by_rows).abs() < 1e-12);
    }
}

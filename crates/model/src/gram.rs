//! Sufficient statistics of a least-squares problem: `X'X`, `X'y`, `y'y`. One pass over
//! the rows, and folds by subtraction; all penalised solvers need nothing else.

use faer::Mat;

use super::linear::{dot, matrix_times_vector};

/// Cross products of some rows.
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
    /// Computes the cross products of rows and their energies.
    pub fn from_rows(x: &Mat<f64>, y: &[f64]) -> Self {
        let (xx, xy) = (x.transpose() * x, matrix_times_vector(x.transpose(), y));
        Self { xx, xy, yy: dot(y, y), rows: y.len() }
    }

    /// Returns the cross products of the rows that are in `self` but not in `part`.
    pub fn without(&self, part: &Self) -> Self {
        Self {
            xx: &self.xx - &part.xx,
            xy: self.xy.iter().zip(&part.xy).map(|(all, part)| all - part).collect(),
            yy: self.yy - part.yy,
            rows: self.rows - part.rows,
        }
    }

    /// Returns the sum of squared residuals of the coefficients `b`; never below zero.
    pub(crate) fn squared_error(&self, b: &[f64]) -> f64 {
        (self.yy - 2.0 * dot(b, &self.xy) + dot(b, &matrix_times_vector(self.xx.as_ref(), b)))
            .max(0.0)
    }
}

/// Cross products of a design by fold.
pub(crate) struct FoldGrams {
    total: Gram,
    parts: Vec<Gram>,
}

impl FoldGrams {
    /// Creates folds from known cross products.
    pub fn new(total: Gram, parts: Vec<Gram>) -> Self {
        Self { total, parts }
    }

    /// Returns, per fold, the cross products to fit to and those to judge on.
    pub fn rounds(&self) -> impl Iterator<Item = (Gram, &Gram)> {
        self.parts.iter().map(|part| (self.total.without(part), part))
    }
}

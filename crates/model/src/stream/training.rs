//! A training set put together from cells, as the solvers see it.

use faer::{Mat, Side};
use wattline_units::assumptions::Assumptions;

use super::super::design::{Design, typical_length};
use super::super::error::ModelError;
use super::super::gram::Gram;
use super::super::weights::Weighting;
use super::cells::{Cell, Method, triangle};

/// Eigenvalues of the cross products (columns of length 1) below this part of the
/// largest are known to fewer than eight digits: then the rows are decomposed instead.
pub(super) const EIGENVALUE_RATIO: f64 = 1e-8;

/// The rows of some cells, given by inner fold.
pub(super) struct Training<'a> {
    /// Cells of each inner fold; an inner fold may have none.
    pub parts: Vec<Vec<&'a Cell>>,
    /// What the cells' matrices are.
    pub method: Method,
}

/// Sums over the cells of a training set, unscaled.
struct Total {
    /// `[X y]'[X y]`, full.
    products: Mat<f64>,
    rows: usize,
}

impl Training<'_> {
    /// The problem: columns of length 1, energies of mean square 1, and the inner folds
    /// scaled alike.
    pub fn design(
        &self,
        features: &[String],
        weighting: Weighting,
        assumed: Assumptions,
    ) -> Result<Design, ModelError> {
        let parts: Vec<Total> = self.parts.iter().map(|cells| total(cells, self.method)).collect();
        let all: Vec<&Cell> = self.parts.iter().flatten().copied().collect();
        let whole = total(&all, self.method);
        let l = features.len();
        let lengths: Vec<f64> = (0..l).map(|j| whole.products[(j, j)].max(0.0).sqrt()).collect();
        if lengths.iter().any(|length| !length.is_finite()) {
            return Err(ModelError::Decomposition { what: "the weighted count matrix" });
        }
        let seen: Vec<bool> = lengths.iter().map(|length| *length > 0.0).collect();
        let typical = typical_length(&lengths);
        let scale: Vec<f64> = lengths.iter().map(|s| if *s > 0.0 { *s } else { typical }).collect();
        let length = whole.products[(l, l)].max(0.0).sqrt();
        let factor = if length > 0.0 { (whole.rows as f64).sqrt() / length } else { 1.0 };
        // The weights' factor is in x as well as in y, and so in the columns' lengths.
        let scale: Vec<f64> = scale.into_iter().map(|scale| scale * factor).collect();
        let scaling = Scaling { scale: &scale, factor };
        let (x, y) = match self.method {
            Method::Products => scaling.root(&whole)?,
            Method::Triangle => scaling.scaled_triangle(&all),
        };
        let folds: Vec<Gram> =
            parts.iter().filter(|part| part.rows > 0).map(|part| scaling.gram(part)).collect();
        Ok(Design {
            features: features.to_vec(),
            groups: Vec::new(),
            x,
            y,
            roots: Vec::new(),
            seconds: None,
            cases: whole.rows,
            folds: (folds.len() > 1).then_some(folds),
            noise: weighting.are_inverse_variances().then_some(factor * factor),
            seen,
            scale,
            assumed,
        })
    }
}

fn total(cells: &[&Cell], method: Method) -> Total {
    let width = cells.first().map_or(0, |cell| cell.matrix.ncols());
    let mut products = Mat::zeros(width, width);
    for cell in cells {
        match method {
            Method::Products => products += &cell.matrix,
            Method::Triangle => products += cell.matrix.transpose() * &cell.matrix,
        }
    }
    let full = Mat::from_fn(width, width, |i, j| products[(i.max(j), i.min(j))]);
    Total { products: full, rows: cells.iter().map(|cell| cell.rows).sum() }
}

/// How a training set is scaled.
struct Scaling<'a> {
    scale: &'a [f64],
    factor: f64,
}

impl Scaling<'_> {
    /// What row and column `j` of `[X y]` are multiplied with.
    fn of(&self, j: usize) -> f64 {
        self.scale.get(j).map_or(self.factor, |scale| self.factor / scale)
    }

    fn gram(&self, of: &Total) -> Gram {
        let l = self.scale.len();
        let entry = |i: usize, j: usize| of.products[(i, j)] * self.of(i) * self.of(j);
        Gram {
            xx: Mat::from_fn(l, l, entry),
            xy: (0..l).map(|j| entry(j, l)).collect(),
            yy: entry(l, l),
            rows: of.rows,
        }
    }

    /// Rows with the same cross products: `D^1/2 V'` of `X'X = V D V'`, and one for what
    /// is left of the energies.
    fn root(&self, whole: &Total) -> Result<(Mat<f64>, Vec<f64>), ModelError> {
        let (gram, l) = (self.gram(whole), self.scale.len());
        let what = "the cross products of the counts";
        let eigen = gram.xx.self_adjoint_eigen(Side::Lower);
        let eigen = eigen.map_err(|_| ModelError::Decomposition { what })?;
        let (vectors, values) = (eigen.U(), eigen.S().column_vector());
        let largest = values.iter().fold(0.0f64, |largest, d| largest.max(*d));
        let kept = |k: usize| values[k] > f64::EPSILON * l as f64 * largest;
        let root = |k: usize| if kept(k) { values[k].sqrt() } else { 0.0 };
        let x = Mat::from_fn(l + 1, l, |k, j| if k < l { root(k) * vectors[(j, k)] } else { 0.0 });
        let along = |k: usize| (0..l).map(|j| vectors[(j, k)] * gram.xy[j]).sum::<f64>();
        let mut y: Vec<f64> =
            (0..l).map(|k| if kept(k) { along(k) / root(k) } else { 0.0 }).collect();
        let explained: f64 = y.iter().map(|y| y * y).sum();
        y.push((gram.yy - explained).max(0.0).sqrt());
        Ok((x, y))
    }

    /// The triangles of all cells as one, scaled.
    fn scaled_triangle(&self, cells: &[&Cell]) -> (Mat<f64>, Vec<f64>) {
        let l = self.scale.len();
        let scaled =
            |cell: &Cell| Mat::from_fn(l + 1, l + 1, |i, j| cell.matrix[(i, j)] * self.of(j));
        let mut joined = Mat::zeros(l + 1, l + 1);
        for cell in cells {
            joined = triangle(&joined, scaled(cell).as_ref());
        }
        let y = (0..=l).map(|i| joined[(i, l)]).collect();
        (joined.subcols(0, l).to_owned(), y)
    }
}

/// Whether the cross products are too coarse for the problem: rank or costs would have
/// fewer than about eight digits.
pub(super) fn is_ill_conditioned(design: &Design) -> bool {
    let gram = design.gram();
    let seen: Vec<usize> = (0..design.columns()).filter(|j| design.seen[*j]).collect();
    let used = Mat::from_fn(seen.len(), seen.len(), |i, j| gram.xx[(seen[i], seen[j])]);
    let Ok(values) = used.self_adjoint_eigenvalues(Side::Lower) else { return true };
    let (least, largest) = values
        .iter()
        .fold((f64::INFINITY, 0.0f64), |(least, largest), d| (least.min(*d), largest.max(*d)));
    let ratio = least / largest;
    ratio.is_nan() || ratio <= EIGENVALUE_RATIO
}

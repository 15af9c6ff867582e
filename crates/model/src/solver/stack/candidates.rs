//! Candidates among which a predictor is chosen: from a single figure (one cost for all, the mean,
//! one power, and these together) to a cost per operation. All costs are >= 0, all are linear in
//! the counts, the case and its seconds, and all need nothing but cross products.

use faer::Mat;

use super::super::super::design::Design;
use super::super::super::error::ModelError;
use super::super::super::gram::Gram;
use super::super::super::linear::{dot, matrix_times_vector};
use super::super::super::options::FitOptions;
use super::super::super::tuning::strengths_by_decade;
use super::super::nnls::{NnlsStart, minimise};
use super::super::shrink;
use super::super::solution::Solution;

/// The candidate that has a prior, and so a covariance of all costs.
pub(super) const SHRINK: &str = "shrink";

/// One cost for all operations.
pub(super) const FLAT: &str = "flat";

/// The name of all strengths of the ridge.
pub(super) const RIDGE: &str = "ridge";

/// The problem with columns for the case and for its seconds beside the operations'.
pub(super) struct ExtendedDesign<'d> {
    /// The problem without them, for what has a prior.
    pub narrow: &'d Design,
    /// The problem with them; they have length 1, too.
    pub design: Design,
}

impl<'d> ExtendedDesign<'d> {
    pub fn new(narrow: &'d Design) -> Self {
        let beside: Vec<&Vec<f64>> =
            std::iter::once(&narrow.roots).chain(narrow.seconds.as_ref()).collect();
        let lengths: Vec<f64> = beside.iter().map(|column| dot(column, column).sqrt()).collect();
        let length = |k: usize| if lengths[k] > 0.0 { lengths[k] } else { 1.0 };
        let l = narrow.columns();
        let x = Mat::from_fn(narrow.x.nrows(), l + beside.len(), |i, j| match j.checked_sub(l) {
            None => narrow.x[(i, j)],
            Some(k) => beside[k][i] / length(k),
        });
        let scale: Vec<f64> =
            narrow.scale.iter().copied().chain((0..beside.len()).map(length)).collect();
        let names = ["(case)", "(second)"].into_iter().take(beside.len()).map(str::to_owned);
        let features = narrow.features.iter().cloned().chain(names).collect();
        Self { narrow, design: Design { features, x, scale, ..narrow.clone() } }
    }

    /// Number of operations.
    pub fn operations(&self) -> usize {
        self.narrow.columns()
    }

    /// Fits all candidates to the rows of `gram`: name and scaled costs of all columns. `whole` is
    /// the fit of `shrink` to all rows, whose strength it keeps.
    pub fn candidates(
        &self,
        gram: &Gram,
        options: &FitOptions,
        whole: &Solution,
    ) -> Result<Vec<(&'static str, Vec<f64>)>, ModelError> {
        let operations = leading_columns(gram, self.operations());
        let mut found = self.simple_candidates(gram)?;
        let nnls = minimise(&operations.xx, &operations.xy, NnlsStart::Zero);
        // Collinear to working precision: then it is no candidate's turn.
        let nnls = nnls.map_or_else(|_| vec![f64::NAN; self.operations()], |found| found.b);
        found.push(("nnls", self.padded(nnls)));
        found.extend(ridge_fits(gram)?.into_iter().map(|b| (RIDGE, b)));
        let shrunk = shrink::refit(self.narrow, options, &operations, whole)?;
        found.push((SHRINK, self.padded(shrunk)));
        Ok(found)
    }

    /// Fits one cost for all operations, the mean, one power, and all of these.
    fn simple_candidates(&self, gram: &Gram) -> Result<Vec<(&'static str, Vec<f64>)>, ModelError> {
        let l = self.operations();
        let total = |j: usize| if j < l { self.design.scale[j] } else { 0.0 };
        let width = self.design.columns();
        let flat: Vec<f64> = (0..width).map(total).collect();
        let only = |at: usize| (0..width).map(|j| f64::from(u8::from(j == at))).collect::<Vec<_>>();
        let mut bases = vec![(FLAT, vec![flat]), ("mean", vec![only(l)])];
        if width > l + 1 {
            bases.push(("duration", vec![only(l + 1)]));
        }
        bases.push(("few", bases.iter().flat_map(|(_, basis)| basis.clone()).collect()));
        bases.into_iter().map(|(name, basis)| Ok((name, fit_along(gram, &basis)?))).collect()
    }

    fn padded(&self, mut b: Vec<f64>) -> Vec<f64> {
        b.resize(self.design.columns(), 0.0);
        b
    }
}

/// Returns the cross products of the first columns alone.
fn leading_columns(gram: &Gram, columns: usize) -> Gram {
    Gram {
        xx: gram.xx.submatrix(0, 0, columns, columns).to_owned(),
        xy: gram.xy[..columns].to_vec(),
        yy: gram.yy,
        rows: gram.rows,
    }
}

/// Fits by least squares over the sums of some directions, with factors >= 0.
fn fit_along(gram: &Gram, basis: &[Vec<f64>]) -> Result<Vec<f64>, ModelError> {
    let images: Vec<Vec<f64>> =
        basis.iter().map(|of| matrix_times_vector(gram.xx.as_ref(), of)).collect();
    let length = |k: usize| dot(&basis[k], &images[k]).max(f64::MIN_POSITIVE).sqrt();
    let lengths: Vec<f64> = (0..basis.len()).map(length).collect();
    let entry = |a: usize, b: usize| dot(&basis[a], &images[b]) / (lengths[a] * lengths[b]);
    let a = Mat::from_fn(basis.len(), basis.len(), |a, b| entry(a.min(b), a.max(b)));
    let rhs: Vec<f64> =
        basis.iter().zip(&lengths).map(|(of, length)| dot(of, &gram.xy) / length).collect();
    let factors = minimise(&a, &rhs, NnlsStart::Zero)?.b;
    let factor = |k: usize| factors[k] / lengths[k];
    Ok((0..gram.xy.len())
        .map(|j| (0..basis.len()).map(|k| factor(k) * basis[k][j]).sum())
        .collect())
}

/// Fits costs >= 0 with a penalty on their squares, and a constant, at every strength.
fn ridge_fits(gram: &Gram) -> Result<Vec<Vec<f64>>, ModelError> {
    let mut near: Option<Vec<f64>> = None;
    let fit = |strength: f64| {
        let width = gram.xy.len();
        let a = &gram.xx + Mat::<f64>::identity(width, width) * faer::Scale(strength);
        let start = near.as_deref().map_or(NnlsStart::Zero, NnlsStart::Near);
        let b = minimise(&a, &gram.xy, start)?.b;
        near = Some(b.clone());
        Ok(b)
    };
    strengths_by_decade(0, -6, 1).into_iter().map(fit).collect()
}

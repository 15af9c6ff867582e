//! Dense decompositions that the solvers need, over faer, with failures as values.

use faer::linalg::solvers::DenseSolveCore;
use faer::{Col, Mat, MatRef, Side};

use wattline_units::foreign::catch_foreign_panic;

use super::error::ModelError;

/// Runs a decomposition; one that panics has failed.
pub(crate) fn run_decomposition<T>(
    what: &'static str,
    work: impl FnOnce() -> T,
) -> Result<T, ModelError> {
    catch_foreign_panic(work).map_err(|_| ModelError::Decomposition { what })
}

/// The inverse of a symmetric positive definite matrix; `None` if it is singular.
pub(crate) fn invert_positive(a: MatRef<'_, f64>) -> Option<Mat<f64>> {
    catch_foreign_panic(|| Some(a.llt(Side::Lower).ok()?.inverse())).ok()?
}

/// The logarithm of the determinant of a symmetric positive definite matrix; `None` if it
/// is singular.
pub(crate) fn log_determinant(a: MatRef<'_, f64>) -> Option<f64> {
    let factor = catch_foreign_panic(|| a.llt(Side::Lower)).ok()?.ok()?;
    let pivots = factor.L().diagonal().column_vector();
    Some(pivots.iter().map(|pivot| 2.0 * pivot.ln()).sum())
}

/// Returns the product `a x`.
pub(crate) fn matrix_times_vector(a: MatRef<'_, f64>, x: &[f64]) -> Vec<f64> {
    let product = a * Col::from_fn(x.len(), |i| x[i]);
    product.iter().copied().collect()
}

/// Returns the sum of products of two vectors.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Runs `work`, and what is inlined into it, compiled for the widest vectors that both the
/// processor and `pulp` know: builds are for any processor of the architecture.
#[inline(always)]
pub(crate) fn run_in_wide_vectors<T>(work: impl FnOnce() -> T) -> T {
    pulp::Arch::new().dispatch(work)
}

/// The part of a singular value decomposition that holds information: `x = u s v'` with
/// the singular values above a tolerance.
#[derive(Debug, Clone)]
pub(crate) struct Spectrum {
    /// Left vectors, m x rank.
    pub u: Mat<f64>,
    /// Singular values, falling.
    pub s: Vec<f64>,
    /// Right vectors, l x rank: a basis of the row space.
    pub v: Mat<f64>,
}

impl Spectrum {
    /// Decomposes `x`; singular values up to `tolerance` times the largest are zero.
    pub fn of(x: MatRef<'_, f64>, tolerance: f64) -> Result<Self, ModelError> {
        let what = "the count matrix";
        let svd = run_decomposition(what, || x.thin_svd())?;
        let svd = svd.map_err(|_| ModelError::Decomposition { what })?;
        let all: Vec<f64> = svd.S().column_vector().iter().copied().collect();
        let largest = all.first().copied().unwrap_or(0.0);
        let rank = all.iter().take_while(|s| **s > tolerance * largest).count();
        let first = |basis: MatRef<'_, f64>| basis.subcols(0, rank).to_owned();
        Ok(Self { u: first(svd.U()), s: all[..rank].to_vec(), v: first(svd.V()) })
    }

    /// Number of singular values that count.
    pub fn rank(&self) -> usize {
        self.s.len()
    }

    /// Largest over smallest singular value; `None` for a zero matrix.
    pub fn condition(&self) -> Option<f64> {
        Some(self.s.first()? / self.s.last()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::mat;

    #[test]
    fn a_small_matrix_is_inverted() {
        let a = mat![[4.0, 2.0], [2.0, 3.0]];
        let inverse = invert_positive(a.as_ref()).unwrap();
        assert!((inverse[(0, 0)] - 0.375).abs() < 1e-14);
        assert!((log_determinant(a.as_ref()).unwrap() - 8f64.ln()).abs() < 1e-14);
    }

    #[test]
    fn the_spectrum_ends_at_the_rank() {
        let x = mat![[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]];
        let spectrum = Spectrum::of(x.as_ref(), 1e-10).unwrap();
        assert_eq!(spectrum.rank(), 1);
        // sqrt(14 * 5).
        assert!((spectrum.s[0] - 70f64.sqrt()).abs() < 1e-12);
        assert!((spectrum.condition().unwrap() - 1.0).abs() < 1e-15);
    }
}

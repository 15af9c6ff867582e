//! Errors of held-out cases: the NMAE, its standard error, and comparisons of predictors.

use super::super::super::design::Design;
use super::super::super::folds::{CaseUnits, FoldUnit};

/// Held-out cases, with folds and energies, which predictions are compared with.
pub(super) struct HeldOutCases {
    /// Fold of each case.
    pub fold_of: Vec<usize>,
    /// Energies as the design has them, length m.
    y: Vec<f64>,
    /// Units of cases that are held out together.
    units: CaseUnits,
}

impl HeldOutCases {
    /// `None` if a fold has no energy to be relative to.
    pub fn new(design: &Design, unit: FoldUnit, fold_of: &[usize]) -> Option<Self> {
        let groups: Vec<&str> = design.groups.iter().map(String::as_str).collect();
        let units = CaseUnits::new(&groups, unit);
        let judge = Self { fold_of: fold_of.to_vec(), y: design.y.clone(), units };
        let zeros = vec![0.0; judge.y.len()];
        judge.by_fold(&zeros).iter().all(|nmae| nmae.is_finite()).then_some(judge)
    }

    /// Number of cases or groups that are held out together.
    pub fn units(&self) -> usize {
        self.units.len()
    }

    /// Number of folds.
    pub fn folds(&self) -> usize {
        self.fold_of.iter().max().map_or(0, |last| last + 1)
    }

    /// Returns NMAE and its standard error, over what is held out together; cases of no energy have
    /// no relative error.
    pub fn nmae(&self, residuals: &[f64]) -> (f64, Option<f64>) {
        self.mean(|_| true, |i| (residuals[i] / self.y[i]).abs())
    }

    /// Whether the residuals `ours` have a larger error than `theirs`, by more than the standard
    /// error of the difference.
    pub(crate) fn is_worse(&self, ours: &[f64], theirs: &[f64]) -> bool {
        let (mean, se) =
            self.mean(|_| true, |i| (ours[i].abs() - theirs[i].abs()) / self.y[i].abs());
        mean > se.unwrap_or(0.0)
    }

    /// Returns the first fold in which the error is larger than flat's by more than the standard
    /// error of that: over the units of the fold, or the standard deviation over the folds (all
    /// that is known where each fold is one unit), whichever is larger.
    pub fn loses(&self, residuals: &[f64], flat: &[f64]) -> Option<usize> {
        let (ours, theirs) = (self.by_fold(residuals), self.by_fold(flat));
        let n = theirs.len() as f64;
        let mean = theirs.iter().sum::<f64>() / n;
        let squares: f64 = theirs.iter().map(|nmae| (nmae - mean).powi(2)).sum();
        let over_folds = (squares / (n - 1.0)).sqrt();
        (0..theirs.len()).find(|fold| {
            let error = |i: usize| (flat[i] / self.y[i]).abs();
            let (_, within) = self.mean(|i| self.fold_of[i] == *fold, error);
            ours[*fold] > theirs[*fold] + over_folds.max(within.unwrap_or(0.0))
        })
    }

    fn by_fold(&self, residuals: &[f64]) -> Vec<f64> {
        let nmae = |fold: usize| {
            let of = (0..self.y.len()).filter(|i| self.fold_of[*i] == fold && self.counts(*i));
            let errors: Vec<f64> = of.map(|i| (residuals[i] / self.y[i]).abs()).collect();
            errors.iter().sum::<f64>() / errors.len() as f64
        };
        (0..self.folds()).map(nmae).collect()
    }

    fn counts(&self, i: usize) -> bool {
        self.y[i] != 0.0
    }

    /// Returns the mean over some cases, and its standard error over their units (the ratio
    /// estimator's).
    fn mean(
        &self,
        used: impl Fn(usize) -> bool,
        value: impl Fn(usize) -> f64,
    ) -> (f64, Option<f64>) {
        let unit = |unit: usize| {
            let cases = self.units.cases(unit).iter().filter(|i| used(**i) && self.counts(**i));
            cases.fold((0.0, 0.0), |(n, sum), i| (n + 1.0, sum + value(*i)))
        };
        let units: Vec<(f64, f64)> =
            (0..self.units.len()).map(unit).filter(|(n, _)| *n > 0.0).collect();
        let (n, sum) = units.iter().fold((0.0, 0.0), |(n, s), (cases, sum)| (n + cases, s + sum));
        let mean = sum / n;
        let squares: f64 = units.iter().map(|(n, sum)| (sum - n * mean).powi(2)).sum();
        let u = units.len() as f64;
        (mean, (u > 1.0).then(|| (squares * u / (u - 1.0)).sqrt() / n))
    }
}

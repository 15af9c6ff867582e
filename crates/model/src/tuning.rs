//! The strength of a penalty or prior by cross-validation inside the training cases.

use super::design::Design;
use super::error::ModelError;
use super::folds::{FoldOptions, assign_folds_at_most};
use super::gram::{FoldGrams, Gram};

/// Squared errors of held-out cases at every candidate strength of the regularisation, by fold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StrengthScores {
    /// The strengths, from strong to weak.
    pub grid: Vec<f64>,
    /// Mean squared error per fold and strength, in the design's units (relative to
    /// energy).
    folds: Vec<Vec<f64>>,
}

impl StrengthScores {
    /// Returns the strength with the least error, the strongest on ties.
    pub fn best(&self) -> f64 {
        self.grid[self.best_at()]
    }

    /// Returns the strengths that are no worse than the best by more than the standard error of its
    /// error over the folds: those that the folds cannot separate.
    pub(crate) fn within_error(&self) -> impl Iterator<Item = f64> {
        let best = self.best_at();
        let (mean, n) = (self.mean(best), self.folds.len() as f64);
        let squares: f64 = self.folds.iter().map(|fold| (fold[best] - mean).powi(2)).sum();
        let limit = mean + (squares / (n * (n - 1.0))).sqrt();
        (0..self.grid.len()).filter(move |at| self.mean(*at) <= limit).map(|at| self.grid[at])
    }

    /// Whether `other` predicts held-out cases better beyond doubt, each at its best: on
    /// the same folds, by more than twice the standard error of the difference.
    pub(crate) fn is_clearly_beaten_by(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.best_at(), other.best_at());
        let folds = self.folds.iter().zip(&other.folds);
        let gains: Vec<f64> = folds.map(|(our, their)| our[ours] - their[theirs]).collect();
        let n = gains.len() as f64;
        let mean = gains.iter().sum::<f64>() / n;
        let squares: f64 = gains.iter().map(|gain| (gain - mean).powi(2)).sum();
        mean > 2.0 * (squares / (n * (n - 1.0))).sqrt()
    }

    fn best_at(&self) -> usize {
        let by_error = |a: &usize, b: &usize| self.mean(*a).total_cmp(&self.mean(*b));
        (0..self.grid.len()).min_by(by_error).expect("a grid has strengths")
    }

    fn mean(&self, at: usize) -> f64 {
        self.folds.iter().map(|fold| fold[at]).sum::<f64>() / self.folds.len() as f64
    }
}

/// Scores every strength of `grid`; `path` fits one problem at all of them. `None` if
/// there are too few cases to hold any out.
pub(crate) fn score_strengths(
    design: &Design,
    folds: FoldOptions,
    grid: Vec<f64>,
    path: impl Fn(&Gram, &[f64]) -> Result<Vec<Vec<f64>>, ModelError>,
) -> Result<Option<StrengthScores>, ModelError> {
    let Some(grams) = fold_grams(design, folds) else { return Ok(None) };
    let folds: Result<Vec<Vec<f64>>, ModelError> = grams
        .rounds()
        .map(|(training, held_out)| {
            let error = |b: Vec<f64>| held_out.squared_error(&b) / held_out.rows as f64;
            Ok(path(&training, &grid)?.into_iter().map(error).collect())
        })
        .collect();
    Ok(Some(StrengthScores { folds: folds?, grid }))
}

/// Returns the cross products of the folds that the design brings, else of new ones of its rows.
fn fold_grams(design: &Design, folds: FoldOptions) -> Option<FoldGrams> {
    if let Some(parts) = &design.folds {
        return Some(FoldGrams::new(design.gram(), parts.clone()));
    }
    if design.groups.len() != design.rows() {
        return None;
    }
    let groups: Vec<&str> = design.groups.iter().map(String::as_str).collect();
    Some(design.fold_grams(&assign_folds_at_most(&groups, folds)?))
}

/// Returns strengths from `10^high` down to `10^low`, `per_decade` to a factor of ten.
pub(crate) fn strengths_by_decade(high: i32, low: i32, per_decade: i32) -> Vec<f64> {
    (0..=(high - low) * per_decade)
        .map(|step| 10f64.powf(f64::from(high) - f64::from(step) / f64::from(per_decade)))
        .collect()
}

#[cfg(test)]
mod tests {
    use wattline_units::assumptions::Assumptions;

    use super::*;
    use crate::testing::table;
    use crate::weights::Weighting;

    #[test]
    fn a_grid_runs_from_strong_to_weak() {
        assert_eq!(strengths_by_decade(1, -1, 1), [10.0, 1.0, 0.1]);
        assert_eq!(strengths_by_decade(0, -1, 2).len(), 3);
    }

    #[test]
    fn the_best_held_out_fit_wins() {
        // e = 2 n without noise, so each case has y = 1 if all n are alike. The "path"
        // returns the strength itself as the coefficient: cost 1, 2 or 3 J.
        let data = table(&[&[1.0], &[1.0], &[1.0]], &[2.0, 2.0, 2.0]);
        let design = Design::new(&data, Weighting::Equal, Assumptions::default()).unwrap();
        let scale = design.scale[0];
        let path = |_: &Gram, grid: &[f64]| Ok(grid.iter().map(|c| vec![c * scale]).collect());
        let grid = vec![3.0, 2.0, 1.0];
        let scores = score_strengths(&design, FoldOptions::default(), grid, path).unwrap().unwrap();
        assert_eq!(scores.best(), 2.0);
    }

    /// Means 2, 1 and 1.5; the best has folds 0.5 and 1.5, so a standard error of 0.5.
    #[test]
    fn strengths_within_one_standard_error_are_equals() {
        let folds = vec![vec![2.0, 0.5, 1.0], vec![2.0, 1.5, 2.0]];
        let scores = StrengthScores { grid: vec![3.0, 2.0, 1.0], folds };
        assert_eq!(scores.within_error().collect::<Vec<_>>(), [2.0, 1.0]);
        let better = StrengthScores { grid: vec![1.0], folds: vec![vec![0.1], vec![1.0]] };
        assert!(scores.is_clearly_beaten_by(&better) && !better.is_clearly_beaten_by(&scores));
        let doubtful = StrengthScores { grid: vec![1.0], folds: vec![vec![0.1], vec![1.8]] };
        assert!(!scores.is_clearly_beaten_by(&doubtful));
    }
}

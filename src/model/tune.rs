//! The strength of a penalty or prior by cross-validation inside the training cases.

use super::design::Design;
use super::error::ModelError;
use super::folds::{FoldOptions, assign_at_most};
use super::gram::{FoldGrams, Gram};

/// What an inner cross-validation found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Choice {
    /// The strength with the least error.
    pub strength: f64,
    /// Mean squared error of held-out cases, in the design's units (relative to energy).
    pub error: f64,
}

/// The strength in `grid` whose fits predict held-out cases best, the first one on ties
/// (so grids run from strong to weak). `path` fits one problem at every strength.
/// `None` if there are too few cases to hold any out.
pub(crate) fn choose(
    design: &Design,
    folds: FoldOptions,
    grid: &[f64],
    path: impl Fn(&Gram, &[f64]) -> Result<Vec<Vec<f64>>, ModelError>,
) -> Result<Option<Choice>, ModelError> {
    let groups: Vec<&str> = design.groups.iter().map(String::as_str).collect();
    let Some(fold_of) = assign_at_most(&groups, folds) else { return Ok(None) };
    let mut errors = vec![0.0; grid.len()];
    for (training, held_out) in FoldGrams::new(design, &fold_of).rounds() {
        for (error, b) in errors.iter_mut().zip(path(&training, grid)?) {
            *error += held_out.squared_error(&b) / design.rows() as f64;
        }
    }
    let best = (0..grid.len()).min_by(|a, b| errors[*a].total_cmp(&errors[*b]));
    Ok(best.map(|at| Choice { strength: grid[at], error: errors[at] }))
}

/// Strengths from `10^high` down to `10^low`, `per_decade` to a factor of ten.
pub(crate) fn decades(high: i32, low: i32, per_decade: i32) -> Vec<f64> {
    (0..=(high - low) * per_decade)
        .map(|step| 10f64.powf(f64::from(high) - f64::from(step) / f64::from(per_decade)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::table;
    use crate::model::weights::Weighting;

    #[test]
    fn a_grid_runs_from_strong_to_weak() {
        assert_eq!(decades(1, -1, 1), [10.0, 1.0, 0.1]);
        assert_eq!(decades(0, -1, 2).len(), 3);
    }

    #[test]
    fn the_best_held_out_fit_wins() {
        // e = 2 n without noise, so each case has y = 1 if all n are alike. The "path"
        // returns the strength itself as the coefficient: cost 1, 2 or 3 J.
        let data = table(&[&[1.0], &[1.0], &[1.0]], &[2.0, 2.0, 2.0]);
        let design = Design::new(&data, Weighting::Equal).unwrap();
        let scale = design.scale[0];
        let path = |_: &Gram, grid: &[f64]| Ok(grid.iter().map(|c| vec![c * scale]).collect());
        let choice = choose(&design, FoldOptions::default(), &[3.0, 2.0, 1.0], path).unwrap();
        assert_eq!(choice.unwrap().strength, 2.0);
        assert!(choice.unwrap().error < 1e-12);
    }
}

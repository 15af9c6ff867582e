//! The learning curve: held-out error against the number of cases fitted to, which shows whether
//! more cases would help.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::ModelError;
use super::folds::{FoldOptions, assign_folds};
use super::metrics::nmae;
use super::options::FitOptions;
use super::table_check::{check_energies, check_table};
use super::validation::fit_predictor;
use crate::table::Table;

/// Parts of the training cases that are fitted to.
const PARTS: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 1.0];

/// Held-out error for one number of training cases: a row of `learning.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LearningRow {
    /// Cases fitted to, mean over the folds.
    pub cases: f64,
    /// Folds that gave a model.
    pub folds: usize,
    /// Mean NMAE of the held-out cases.
    pub nmae: f64,
    /// Standard deviation of the NMAE over the folds.
    pub nmae_sd: Option<f64>,
}

/// Fits to growing parts of every training set, in the order of a second shuffle, and
/// judges on the fold held out. Parts to which the solver can't be fitted are left out.
pub fn learning_curve(
    table: &Table,
    options: &FitOptions,
    folds: FoldOptions,
) -> Result<Vec<LearningRow>, ModelError> {
    check_table(table)?;
    check_energies(table, "the NMAE")?;
    let groups: Vec<&str> = table.cases.iter().map(|case| case.group.as_str()).collect();
    let fold_of = assign_folds(&groups, folds)?;
    // A place in a shuffle for every case: the folds of as many folds as cases.
    let all = FoldOptions {
        folds: groups.len(),
        seed: folds.seed.wrapping_add(1),
        ..FoldOptions::default()
    };
    let place = assign_folds(&groups, all)?;
    let row = |part: &f64| -> Option<LearningRow> {
        let found: Vec<(usize, f64)> = (0..folds.folds)
            .filter_map(|fold| error_of_part(table, options, (&fold_of, &place), fold, *part))
            .collect();
        let n = found.len() as f64;
        let mean = found.iter().map(|(_, nmae)| nmae).sum::<f64>() / n;
        let squares: f64 = found.iter().map(|(_, nmae)| (nmae - mean).powi(2)).sum();
        (!found.is_empty()).then(|| LearningRow {
            cases: found.iter().map(|(cases, _)| *cases as f64).sum::<f64>() / n,
            folds: found.len(),
            nmae: mean,
            nmae_sd: (found.len() > 1).then(|| (squares / (n - 1.0)).sqrt()),
        })
    };
    Ok(PARTS.iter().filter_map(row).collect())
}

/// Fits to a part of a training set; returns the number of cases fitted to and the held-out NMAE.
fn error_of_part(
    table: &Table,
    options: &FitOptions,
    (fold_of, place): (&[usize], &[usize]),
    fold: usize,
    part: f64,
) -> Option<(usize, f64)> {
    let mut order: Vec<usize> = (0..fold_of.len()).filter(|i| fold_of[*i] != fold).collect();
    order.sort_by_key(|i| place[*i]);
    let kept = ((order.len() as f64 * part).round() as usize).max(2).min(order.len());
    let mut chosen = vec![false; fold_of.len()];
    order[..kept].iter().for_each(|i| chosen[*i] = true);
    let predict = fit_predictor(&table.rows(|i| chosen[i]), options).ok()?;
    let held_out = table.rows(|i| fold_of[i] == fold);
    let measured: Vec<f64> = held_out.cases.iter().map(|case| case.energy_j).collect();
    Some((kept, nmae(&predict(&held_out), &measured)?))
}

/// The text of `learning.csv`.
pub fn learning_csv(curve: &[LearningRow]) -> Result<String, ModelError> {
    super::csv_of(curve)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Solver;
    use crate::testing::Campaign;

    #[test]
    fn more_cases_make_less_error() {
        let campaign = Campaign::new(8, 160, 20, 16, 0.02);
        let options = FitOptions::new(Solver::Shrink);
        let curve = learning_curve(&campaign.table, &options, FoldOptions::default()).unwrap();
        let cases: Vec<f64> = curve.iter().map(|row| row.cases).collect();
        assert_eq!(cases, [12.0, 30.0, 60.0, 90.0, 120.0]);
        assert!(curve[0].nmae > 1.3 * curve[4].nmae, "{curve:?}");
        assert!(curve.iter().all(|row| row.folds == 4 && row.nmae_sd.is_some()));
        let text = learning_csv(&curve).unwrap();
        assert!(text.starts_with("cases,folds,nmae,nmae_sd\n12.0,4,"), "{text}");
    }

    /// Another device: all costs 10 % more expensive, single ones 5 % more or less. The old
    /// device's costs as the prior stand in for cases.
    #[test]
    fn an_old_device_stands_in_for_cases() {
        let old = Campaign::new(9, 160, 20, 16, 0.01);
        let mut new = Campaign::new(9, 60, 20, 16, 0.0);
        for i in 0..new.table.cases.len() {
            let cost = |j: usize| old.costs[j] * if j.is_multiple_of(2) { 1.15 } else { 1.05 };
            let energy: f64 = new.table.row(i).iter().enumerate().map(|(j, n)| n * cost(j)).sum();
            let noise = if i.is_multiple_of(3) { 1.02 } else { 0.99 };
            new.table.cases[i].energy_j = energy * noise;
        }
        let known = crate::fit(&old.table, &FitOptions::new(Solver::Shrink)).unwrap();
        let alone = FitOptions::new(Solver::Shrink);
        let options = FitOptions { priors: known.as_priors(), ..alone.clone() };
        let curve = |options| learning_curve(&new.table, options, FoldOptions::default()).unwrap();
        let (with, without) = (curve(&options), curve(&alone));
        assert!(with[0].nmae < 0.5 * without[0].nmae, "{with:?} {without:?}");
        // The noise alone is 1.3 % of the energy.
        assert!(with.iter().all(|row| row.nmae < 0.016), "{with:?}");
    }
}

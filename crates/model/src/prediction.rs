//! Energies of any counts by a fitted model, with their errors, for accounts.

use std::collections::BTreeMap;

use super::estimability::OUTSIDE_SQUARED_SHARE;
use super::fitted_model::{CovarianceScope, Model, RowSpace};
use super::library::{LIBRARY_OTHER, is_lumped};

/// Predicted energy of counts of executions, with its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyPrediction {
    /// Expected energy in joules.
    pub energy_j: f64,
    /// Standard error in joules; absent where the model has none: a solver without errors, or
    /// counts whose energy the cases don't determine.
    pub se_j: Option<f64>,
}

impl Model {
    /// Returns the column that explains an operation: its own, or `lib:other` for a library
    /// function without one; `None` if its energy stays unexplained. For many names,
    /// [`Model::index`] is faster.
    pub fn index_of(&self, operation: &str) -> Option<usize> {
        let place = |name: &str| self.costs.iter().position(|cost| cost.operation == name);
        let lumped = || is_lumped(operation).then(|| place(LIBRARY_OTHER)).flatten();
        place(operation).or_else(lumped)
    }

    /// Builds an index of the columns by operation, for many look-ups as by [`Model::index_of`].
    pub fn index(&self) -> ColumnIndex<'_> {
        let place = |(j, cost)| {
            let cost: &super::fitted_model::Cost = cost;
            (cost.operation.as_str(), j)
        };
        ColumnIndex { places: self.costs.iter().enumerate().map(place).collect() }
    }

    /// Predicts the energy of `(column, executions)` pairs: `c'm` with variance `c'Sc`. A column
    /// may occur more than once; columns the model doesn't have are no energy.
    pub fn predict(&self, counts: &[(usize, f64)]) -> EnergyPrediction {
        let counts = self.merged(counts);
        let energy_j = counts.iter().map(|(j, n)| n * self.costs[*j].cost_j).sum();
        let se_j = self.variance(&counts).map(|variance| variance.max(0.0).sqrt());
        EnergyPrediction { energy_j, se_j }
    }

    /// Whether the cases alone determine the energy of these counts, though they may
    /// not determine each cost in it.
    pub fn is_estimable(&self, counts: &[(usize, f64)]) -> bool {
        let counts = self.merged(counts);
        self.row_space.as_ref().is_none_or(|space| space.holds(&counts, self.costs.len()))
    }

    pub(crate) fn merged(&self, counts: &[(usize, f64)]) -> Vec<(usize, f64)> {
        let mut merged: BTreeMap<usize, f64> = BTreeMap::new();
        for (j, n) in counts.iter().filter(|(j, n)| *j < self.costs.len() && *n != 0.0) {
            *merged.entry(*j).or_default() += n;
        }
        merged.into_iter().collect()
    }

    pub(crate) fn variance(&self, counts: &[(usize, f64)]) -> Option<f64> {
        let covariance = self.covariance.as_ref()?;
        if self.covariance_scope == CovarianceScope::Estimable && !self.is_estimable(counts) {
            return None;
        }
        let l = self.costs.len();
        let row = |i: usize| counts.iter().map(|(j, n)| n * covariance[i * l + j]).sum::<f64>();
        Some(counts.iter().map(|(i, n)| n * row(*i)).sum())
    }
}

/// Columns of a model by operation.
#[derive(Debug, Clone)]
pub struct ColumnIndex<'a> {
    places: BTreeMap<&'a str, usize>,
}

impl ColumnIndex<'_> {
    /// Returns the column of an operation as [`Model::index_of`] does.
    pub fn of(&self, operation: &str) -> Option<usize> {
        let lumped = || is_lumped(operation).then(|| self.places.get(LIBRARY_OTHER)).flatten();
        self.places.get(operation).or_else(lumped).copied()
    }
}

impl RowSpace {
    /// Adds `new` columns that no case has, behind the `l` that are there.
    pub(crate) fn widen(&mut self, l: usize, new: usize) {
        let vectors = self.basis.chunks_exact(l);
        self.basis = vectors.flat_map(|v| v.iter().copied().chain(vec![0.0; new])).collect();
        self.scale.extend(vec![1.0; new]);
    }

    /// Whether a sparse row of counts lies in the space spanned by the cases.
    fn holds(&self, counts: &[(usize, f64)], l: usize) -> bool {
        let scaled: Vec<(usize, f64)> =
            counts.iter().map(|(j, n)| (*j, n / self.scale[*j])).collect();
        let length: f64 = scaled.iter().map(|(_, n)| n * n).sum();
        let along = |vector: &[f64]| scaled.iter().map(|(j, n)| n * vector[*j]).sum::<f64>();
        let inside: f64 = self.basis.chunks_exact(l).map(|vector| along(vector).powi(2)).sum();
        length - inside <= OUTSIDE_SQUARED_SHARE * length
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_close, table};
    use crate::{FitOptions, Model, Solver, fit};

    /// Columns 0 and 1 always run together; only sums with equal counts are known.
    fn together() -> Model {
        let data = table(&[&[1.0, 1.0], &[2.0, 2.0]], &[2.0, 5.0]);
        fit(&data, &FitOptions::new(Solver::Ls)).unwrap()
    }

    #[test]
    fn a_sum_can_be_known_where_its_parts_are_not() {
        let model = together();
        let sum = model.predict(&[(0, 3.0), (1, 3.0)]);
        // One predictor n = (1, 2): c = 2.4, se = 0.2 (see `ls`), times 3.
        assert_close(&[sum.energy_j, sum.se_j.unwrap()], &[7.2, 0.6], 1e-12);
        assert_eq!(model.predict(&[(0, 3.0)]).se_j, None);
        assert!(model.is_estimable(&[(0, 1.0), (1, 1.0)]) && !model.is_estimable(&[(0, 1.0)]));
    }

    #[test]
    fn nothing_costs_nothing_and_repeats_add() {
        let model = together();
        assert_eq!(model.predict(&[]).energy_j, 0.0);
        assert_eq!(model.predict(&[]).se_j, Some(0.0));
        let (once, twice) = (model.predict(&[(0, 2.0)]), model.predict(&[(0, 1.0), (0, 1.0)]));
        assert_eq!(once, twice);
        assert_eq!(model.predict(&[(99, 1.0)]).energy_j, 0.0);
    }

    #[test]
    fn unknown_library_functions_are_other_ones() {
        let mut model = together();
        assert_eq!(model.index_of("lib:java.lang.Math.sin"), None);
        model.costs[1].operation = "lib:other".to_owned();
        assert_eq!(model.index_of("lib:java.lang.Math.sin"), Some(1));
        assert_eq!(model.index_of("lib:GC"), None);
        assert_eq!(model.index_of("op_0"), Some(0));
        assert_eq!(model.index_of("op_9"), None);
        assert_eq!(model.index().of("lib:java.lang.Math.sin"), Some(1));
        assert_eq!(model.index().of("op_9"), None);
    }
}

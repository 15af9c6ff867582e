//! Prediction of whole cases by costs: within reach, and with constant energy.

use super::library::arrange_columns;
use super::linear::dot;
use super::predictor_choice::ConstantEnergy;
use super::validity_limits::ValidityLimits;
use crate::table::{Case, Table};

/// Predictor of whole cases by a fit: costs, their reach and constant energy.
#[derive(Debug, Clone)]
pub(crate) struct CasePredictor {
    /// Columns, length l.
    pub features: Vec<String>,
    /// Costs in joules, length l.
    pub costs: Vec<f64>,
    /// Limits within which the costs hold; absent for no limit.
    pub reach: Option<ValidityLimits>,
    /// Energy that does not depend on operations.
    pub constant: Option<ConstantEnergy>,
}

impl CasePredictor {
    /// Returns the energies of cases in joules; columns that the fit lacks are lumped or dropped.
    pub fn energies_j(&self, cases: &Table) -> Vec<f64> {
        let arranged = arrange_columns(cases, &self.features);
        let energy = |(i, case): (usize, &Case)| self.energy_j(arranged.row(i), case);
        arranged.cases.iter().enumerate().map(energy).collect()
    }

    /// Returns the energy of a case with these counts, length l, in joules.
    pub fn energy_j(&self, counts: &[f64], case: &Case) -> f64 {
        let operations = match &self.reach {
            Some(reach) => reach.price_counts_j(counts, &self.costs),
            None => dot(counts, &self.costs),
        };
        operations + self.constant.map_or(0.0, |constant| constant.energy_j(case.duration_s))
    }
}

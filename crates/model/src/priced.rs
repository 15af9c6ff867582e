//! Costs as they predict whole cases: within reach, and with what is spent beside
//! operations.

use super::choice::ConstantEnergy;
use super::library::arrange;
use super::linear::dot;
use super::reach::Reach;
use crate::table::{Case, Table};

/// What a fit says of cases.
#[derive(Debug, Clone)]
pub(crate) struct PricedCases {
    /// Columns, length l.
    pub features: Vec<String>,
    /// Costs in joules, length l.
    pub costs: Vec<f64>,
    /// How far they reach; absent for no bound.
    pub reach: Option<Reach>,
    /// What is spent beside them.
    pub constant: Option<ConstantEnergy>,
}

impl PricedCases {
    /// Energies of cases in joules; columns that the fit lacks are lumped or lost.
    pub fn energies_j(&self, cases: &Table) -> Vec<f64> {
        let arranged = arrange(cases, &self.features);
        let energy = |(i, case): (usize, &Case)| self.energy_j(arranged.row(i), case);
        arranged.cases.iter().enumerate().map(energy).collect()
    }

    /// The energy of a case with these counts, length l, in joules.
    pub fn energy_j(&self, counts: &[f64], case: &Case) -> f64 {
        let operations = match &self.reach {
            Some(reach) => reach.energy_j(counts, &self.costs),
            None => dot(counts, &self.costs),
        };
        operations + self.constant.map_or(0.0, |constant| constant.energy_j(case.duration_s))
    }
}

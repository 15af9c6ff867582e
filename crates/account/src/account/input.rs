//! Inputs of the accounts of one scenario.

use std::collections::BTreeMap;

use crate::account::calls::CallTree;
use crate::account::cost::IndexedModel;
use crate::account::ledger::MeasuredEnergies;
use crate::account::method_groups::SampledCase;
use crate::blocks::BlockId;
use crate::model::Model;
use crate::operations::Dictionary;
use crate::units::Joules;

/// Everything that the accounts of one scenario are computed from.
#[derive(Debug, Clone, Copy)]
pub struct AccountInput<'a> {
    /// Blocks with their operations.
    pub dictionary: &'a Dictionary,
    /// Executions of each block over all input sequences of the scenario.
    pub executions: &'a BTreeMap<BlockId, u64>,
    /// Costs of operations.
    pub model: &'a Model,
    /// Measured energies of the same runs.
    pub measured: &'a MeasuredEnergies,
    /// Samples case by case; empty without a sampler.
    pub samples: &'a [SampledCase],
    /// Call paths, where they were recorded.
    pub calls: Option<&'a CallTree>,
}

impl AccountInput<'_> {
    /// The energy above idle without the ledger's rows for the runtime's compilers and garbage
    /// collector.
    pub(crate) fn energy_without_runtime(&self, costs: &IndexedModel<'_>) -> Joules {
        let above_idle = self.measured.total - self.measured.idle;
        above_idle - self.measured.collector(costs) - self.measured.compiler()
    }
}

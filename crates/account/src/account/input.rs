//! What an account is made of.

use std::collections::BTreeMap;

use crate::account::areas::SampledCase;
use crate::account::calls::CallTree;
use crate::account::cost::IndexedModel;
use crate::account::ledger::MeasuredEnergies;
use crate::blocks::BlockId;
use crate::model::Model;
use crate::operations::Dictionary;
use crate::units::Joules;

/// What an account is made of.
#[derive(Debug, Clone, Copy)]
pub struct AccountInput<'a> {
    /// The blocks and what they hold.
    pub dictionary: &'a Dictionary,
    /// How often each block ran, over all input sequences of the scenario.
    pub executions: &'a BTreeMap<BlockId, u64>,
    /// The costs.
    pub model: &'a Model,
    /// What was measured for the same runs.
    pub measured: &'a MeasuredEnergies,
    /// What samplers saw of them, case by case; empty where there was no sampler.
    pub samples: &'a [SampledCase],
    /// Who called whom, where it was recorded.
    pub calls: Option<&'a CallTree>,
}

impl AccountInput<'_> {
    /// The energy above idle without the ledger's rows of the runtime's compilers and its
    /// collector.
    pub(crate) fn own_energy(&self, costs: &IndexedModel<'_>) -> Joules {
        let above_idle = self.measured.total - self.measured.idle;
        above_idle - self.measured.collector(costs) - self.measured.compiler()
    }
}

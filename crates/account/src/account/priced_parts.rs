//! Leaves of a scenario, priced by costs and by samples.

use std::borrow::Cow;

use crate::account::cost::IndexedModel;
use crate::account::entry::{self, Leaf};
use crate::account::input::AccountInput;
use crate::account::method_groups::{CountBasedCosts, MethodGroups, SampledCase};
use crate::assumptions::ASSUMED;
use crate::model::Model;

/// Leaves of a scenario with their energies, method groups and the model that prices them.
pub(super) struct PricedParts<'a> {
    pub leaves: Vec<Leaf<'a>>,
    /// Estimates by samples; absent without samples.
    pub method_groups: Option<MethodGroups>,
    /// The scenario's model, with costs updated by the samples.
    pub model: Cow<'a, Model>,
}

impl AccountInput<'_> {
    /// The leaves with their energies, by samples where there are any.
    pub(super) fn priced(&self) -> PricedParts<'_> {
        self.sampled().unwrap_or_else(|| PricedParts {
            leaves: self.leaves(self.model),
            method_groups: None,
            model: Cow::Borrowed(self.model),
        })
    }

    /// The leaves with energies by samples; `None` without samples.
    fn sampled(&self) -> Option<PricedParts<'_>> {
        if self.samples.is_empty() {
            return None;
        }
        let (words, mut leaves) =
            CountBasedCosts::of(self.model, &ASSUMED, |model| self.leaves(model));
        let level = self.level(&IndexedModel::new(words.model()));
        let cases: Vec<SampledCase> = self.samples.iter().map(|case| case.scaled(level)).collect();
        let (method_groups, model) = MethodGroups::price(&mut leaves, &cases, self.calls, words)?;
        Some(PricedParts { leaves, method_groups: Some(method_groups), model })
    }

    pub(super) fn leaves(&self, model: &Model) -> Vec<Leaf<'_>> {
        entry::leaves(self.dictionary, self.executions, &IndexedModel::new(model))
    }

    /// Measured energy per joule of the sampled cases. Sessions determine the ratios between
    /// cases, including sampled sessions, which cost slightly more; the runtime's own threads,
    /// which Java samplers do not record, are included where they are not separated.
    fn level(&self, costs: &IndexedModel<'_>) -> f64 {
        let sampled: f64 = self.samples.iter().map(|case| case.energy.0).sum();
        match sampled > 0.0 {
            true => (self.energy_without_runtime(costs).0 / sampled).max(0.0),
            false => 1.0,
        }
    }
}

//! The smallest parts of a scenario, priced by the costs and by what samples tell.

use std::borrow::Cow;

use crate::account::areas::{CountBasedCosts, MethodGroups, SampledCase};
use crate::account::cost::IndexedModel;
use crate::account::entry::{self, Leaf};
use crate::account::input::AccountInput;
use crate::assumptions::ASSUMED;
use crate::model::Model;

/// The smallest parts of a scenario with their energies.
pub(super) struct PricedParts<'a> {
    pub leaves: Vec<Leaf<'a>>,
    /// What samples tell; absent without.
    pub areas: Option<MethodGroups>,
    /// The price list: the scenario's, with what samples taught.
    pub model: Cow<'a, Model>,
}

impl AccountInput<'_> {
    /// The smallest parts with their energies, and the areas that samples tell.
    pub(super) fn priced(&self) -> PricedParts<'_> {
        self.sampled().unwrap_or_else(|| PricedParts {
            leaves: self.leaves(self.model),
            areas: None,
            model: Cow::Borrowed(self.model),
        })
    }

    /// The same by samples, where there are any.
    fn sampled(&self) -> Option<PricedParts<'_>> {
        if self.samples.is_empty() {
            return None;
        }
        let (words, mut leaves) =
            CountBasedCosts::of(self.model, &ASSUMED, |model| self.leaves(model));
        let level = self.level(&IndexedModel::new(words.model()));
        let cases: Vec<SampledCase> = self.samples.iter().map(|case| case.scaled(level)).collect();
        let (areas, model) = MethodGroups::price(&mut leaves, &cases, self.calls, words)?;
        Some(PricedParts { leaves, areas: Some(areas), model })
    }

    pub(super) fn leaves(&self, model: &Model) -> Vec<Leaf<'_>> {
        entry::leaves(self.dictionary, self.executions, &IndexedModel::new(model))
    }

    /// What was measured of a joule of the sampled cases. Their sessions say how they are to
    /// each other, sampled ones too, which cost a little more; and the runtime's own threads,
    /// which samplers of Java don't see, are in them where these are not told apart.
    fn level(&self, costs: &IndexedModel<'_>) -> f64 {
        let sampled: f64 = self.samples.iter().map(|case| case.energy.0).sum();
        match sampled > 0.0 {
            true => (self.own_energy(costs).0 / sampled).max(0.0),
            false => 1.0,
        }
    }
}

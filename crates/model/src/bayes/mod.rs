//! Costs as distributions: chains of draws, their diagnostics, and the hierarchical
//! models that they are drawn from. No random number without a seed.

pub(crate) mod chains;
mod collapsed;
mod diagnose;
pub(crate) mod effects;
pub mod factors;
mod group;
mod known_effects;
mod level_draws;
mod nuts;
pub mod patterns;
#[cfg(test)]
mod positive;
pub mod posterior;
mod prior_check;
mod scales;
pub(crate) mod slice;
mod small;
pub(crate) mod source;
mod straight;
pub(crate) mod truncated;

pub use chains::{ChainOptions, Draws};
pub use diagnose::{Diagnosis, diagnose};
pub use effects::Sign;
pub use factors::{FactorLevel, Factors};
pub use known_effects::{ExpectedEnergy, KnownEffects};
pub use level_draws::{EnergyDistribution, LevelDraws, Program};
pub use posterior::{Coverage, Effect, EffectsPosterior, effects_csv, fit_effects, patterns_csv};

//! Costs as distributions: chains of draws, their diagnostics, and the hierarchical
//! models that they are drawn from. No random number without a seed.

pub(crate) mod chains;
mod collapsed_density;
mod diagnostics;
pub(crate) mod effects;
pub mod factors;
mod known_effects;
mod level_draws;
mod level_group;
mod missing_patterns;
mod nuts;
pub mod patterns;
#[cfg(test)]
mod positive_density;
pub mod posterior;
mod prior_check;
mod scales;
pub(crate) mod slice_sampling;
pub(crate) mod source_level;
mod straightening;
mod symmetric_matrix;
pub(crate) mod truncated_normal;

pub use chains::{ChainDraws, ChainOptions};
pub use diagnostics::{Diagnosis, diagnose};
pub use effects::EffectSign;
pub use factors::{FactorLevel, FactorMeasurements};
pub use known_effects::KnownEffects;
pub use level_draws::{ExpectedMeasurement, LevelDraws, PatternCounts};
pub use missing_patterns::MissingPatterns;
pub use posterior::{
    EffectEstimate, EffectsPosterior, PatternCoverage, effects_csv, fit_effects, patterns_csv,
};

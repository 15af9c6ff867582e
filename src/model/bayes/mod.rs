//! Costs as distributions: chains of draws, their diagnostics, and the hierarchical
//! models that they are drawn from. No random number without a seed.

pub(crate) mod chains;
mod diagnose;
pub(crate) mod effects;
pub mod factors;
pub mod patterns;
pub mod posterior;
pub(crate) mod slice;
pub(crate) mod source;
pub(crate) mod truncated;

pub use chains::{ChainOptions, Draws};
pub use diagnose::{Diagnosis, diagnose};
pub use effects::Sign;
pub use factors::{Factors, Level};
pub use posterior::{Effect, EffectsPosterior, EnergyDistribution, effects_csv, fit_effects};

//! Costs as distributions: chains of draws, their diagnostics, and the hierarchical
//! models that they are drawn from. No random number without a seed.

pub(crate) mod chains;
mod collapsed;
mod diagnose;
pub(crate) mod effects;
pub mod factors;
mod group;

mod nuts;
pub mod patterns;
mod positive;
pub mod posterior;
mod scales;
pub(crate) mod slice;
mod small;
pub(crate) mod source;
mod straight;
mod tails;
pub(crate) mod truncated;

pub use chains::{ChainOptions, Draws};
pub use diagnose::{Diagnosis, diagnose};
pub use effects::Sign;
pub use factors::{Factors, Level};
pub use posterior::{
    DrawBy, Effect, EffectsPosterior, EnergyDistribution, effects_csv, fit_effects, patterns_csv,
};

//! Costs as distributions: chains of draws, their diagnostics, and the hierarchical
//! models that they are drawn from. No random number without a seed.

pub(crate) mod chains;
mod diagnose;
pub(crate) mod slice;
pub(crate) mod source;
pub(crate) mod truncated;

pub use chains::{ChainOptions, Draws};
pub use diagnose::{Diagnosis, diagnose};

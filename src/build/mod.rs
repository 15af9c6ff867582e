//! Scenario -> sources, their analysis, and the jar of each variant.

pub mod error;
pub mod sources;

pub use error::BuildError;
pub use sources::{LoadedSource, Sources};

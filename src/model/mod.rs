//! Table -> cost per operation: one file per solver, what the data can and can't
//! tell, validation.

pub mod fitted;

pub use fitted::{Cost, CostPrior, Model, Provenance};

//! Micro-kernels: small loops around one pattern of operations each, run on the same
//! board as the application. They tell apart what applications always execute
//! together, and give the fit its prior costs.
//!
//! To add a kernel: one entry in `catalogue.toml`.

pub mod catalogue;
pub mod measure;
pub mod patterns;
pub mod prices;
pub mod program;
pub mod select;

pub use catalogue::{Kernel, catalogue};
pub use patterns::{baselines, pattern_kernels};

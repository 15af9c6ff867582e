//! Microbenchmarks: small loops around one pattern of operations each, run on the same
//! board as the application. They tell apart what applications always execute
//! together, and give the fit its prior costs.
//!
//! To add a microbenchmark: one entry in `catalogue.toml`.

pub(crate) mod catalogue;
mod compiled;
mod cost_outliers;
pub mod measure;
mod on_boards;
pub mod pairs;
pub mod patterns;
pub mod places;
pub mod prices;
pub mod program;
pub mod select;

pub(crate) use catalogue::CatalogueError;
pub use catalogue::{Microbenchmark, catalogue};
pub use compiled::for_compilers;
pub(crate) use on_boards::longest_pairs_s;
pub use on_boards::{
    JAVA_RELEASE, MeasuredMicrobenchmarks, PART, SessionMeter, SessionStore, analyse, expected_s,
    measure_all, measured_pairs, microbenchmarks, open_boards,
};
pub use patterns::baselines;
#[cfg(test)]
pub(crate) use patterns::pattern_microbenchmarks;
pub use select::planned_microbenchmarks;

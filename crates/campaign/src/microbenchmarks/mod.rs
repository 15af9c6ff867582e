//! Microbenchmarks: small loops around one pattern of operations each, run on the same board as the
//! application. They separate the costs of operations that applications always execute together,
//! and give the fit its prior costs.
//!
//! To add a microbenchmark: one entry in `catalogue.toml`.

pub(crate) mod catalogue;
mod cost_outliers;
pub mod measure;
mod on_boards;
mod optimisation_barriers;
pub mod pairs;
pub mod patterns;
pub mod places;
pub mod prices;
pub mod program;
pub mod select;

pub(crate) use catalogue::CatalogueError;
pub use catalogue::{Microbenchmark, catalogue};
pub use on_boards::{
    BAR_NAME, BuiltPrograms, JAVA_RELEASE, MeasuredMicrobenchmarks, SessionMeter, SessionStore,
    analyse, count_programs, expected_s, measure_all, measure_built, measure_pairs, open_boards,
    run_microbenchmarks,
};
pub(crate) use on_boards::{WINDOW_COLUMNS, all_pairs_s};
pub use optimisation_barriers::protect_from_compilers;
pub use patterns::baselines;
#[cfg(test)]
pub(crate) use patterns::pattern_microbenchmarks;
pub use select::planned_microbenchmarks;

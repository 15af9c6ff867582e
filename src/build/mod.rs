//! Scenario -> sources, their analysis, and the jar of each variant.

pub mod application;
mod blame;
mod call_logs;
pub mod counts_files;
pub mod dry_run;
pub mod error;
mod jobs;
mod last_words;
pub mod package;
mod platform;
mod runner;
pub mod sources;
pub mod survey;
mod suspects;
mod switched;
pub mod variant;

pub use application::Application;
pub use call_logs::call_logs;
pub use dry_run::DryRunner;
pub use error::BuildError;
pub use sources::{LoadedSource, Sources};
pub use survey::Survey;
pub use variant::{Variant, VariantBuilder};

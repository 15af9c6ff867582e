//! Scenario -> sources, their analysis, and the jar of each variant.

pub mod annotation_processing;
pub(crate) mod application;
mod blame;
mod board_clock;
mod call_logs;
pub mod counts_files;
pub(crate) mod dry_run;
pub(crate) mod error;
mod javac_settings;
mod jobs;
mod last_words;
mod module_info;
pub mod module_path;
mod not_analysed;
mod on_android;
pub mod package;
mod platform;
mod runner;
mod source_file;
pub mod sources;
pub mod survey;
mod suspects;
mod switched;
pub mod variant;
mod verdict;
mod windowed;

pub use application::AnalysedApplication;
pub use call_logs::{CallRecorder, call_limit};
pub use dry_run::HostDryRunner;
pub use error::BuildError;
pub use javac_settings::JavacSettings;
pub use module_info::ModuleInfo;
pub use sources::{LoadedSource, Sources};
pub use survey::SourceAnalysis;
pub use variant::{BuiltVariant, VariantBuilder};
pub use verdict::{DryEnd, DryRunEnd, DryRunJudge, TriedVariant};

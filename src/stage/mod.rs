//! The stages of a campaign, each a function from values to values: what a program that
//! measures applications calls one after the other, or all at once ([`pipeline()`]).
//!
//! Files are read and written by [`CampaignFolder`] alone, so that a stage can be had without
//! any; what stages tell while they work goes to the [`progress::Progress`] that they are given.

pub mod account;
mod activities;
mod application_core;
mod board_choice;
pub mod board_fit;
pub mod boards;
pub mod calls;
mod campaign_progress;
pub mod dataset;
mod error;
mod facts;
pub mod fit;
pub mod folder;
pub mod hints;
pub mod load;
mod longer_sessions;
pub mod measure;
pub mod microbenchmarks;
mod origin;
mod package_kind;
pub mod pipeline;
pub mod plan;
pub mod progress;
pub mod report;
pub(crate) mod repository;
pub mod scan;
pub(crate) mod session;
mod session_lengths;
mod stage_clock;
mod started_class;
mod times;
mod traced_runs;
pub mod trial;
pub mod truth;
mod unfinished;
mod unfit_key;
pub mod unseen;
pub(crate) mod verify;
mod writing;

pub use campaign_progress::CampaignProgress;
pub use error::Failure;
pub(crate) use error::with_causes;
pub use facts::{MeasuredCampaign, ScenarioFacts};
pub use folder::{CampaignFolder, OnExisting, Output};
pub use load::Loaded;
pub use longer_sessions::LongerSessions;
pub use origin::{ProjectOrigin, ScenarioOrigin};
pub use pipeline::{PipelineOptions, PipelineResult, pipeline};
pub(crate) use traced_runs::{TracedCase, TracedRuns};
pub(crate) use unfinished::remove_unfinished;

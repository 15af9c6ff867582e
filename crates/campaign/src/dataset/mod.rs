//! The data set of a campaign: the table that models are fitted to, made from records. Pure;
//! `docs/internals/energy.md` has the definitions.

pub mod assemble;
mod campaign_data;
mod campaign_dataset;
pub(crate) mod contexts;
pub mod energy;
mod file;
mod idle_runs;
pub mod microbenchmarks;
pub(crate) mod output;
pub mod probe_cost;
mod session_windows;
mod traced_runs;
pub mod windows;

pub use assemble::{AssembleOptions, assemble, lump_cases};
pub use assemble::{Dataset, DatasetOmission, MeasuredCase, SessionWindows};
pub use campaign_data::{CampaignData, weigh_table};
pub use campaign_dataset::{CampaignDataset, assemble_dataset};
pub(crate) use contexts::CONTEXT_COLUMNS;
pub use contexts::{CaseMixes, ContextsError};
pub use energy::CaseEnergy;
pub use file::{DatasetFacts, DatasetFile};
pub use idle_runs::idle_runs_of;
pub use output::Provenance;
pub(crate) use output::{DATASET_COLUMNS, ENERGY_COLUMNS};
pub use output::{dataset_to_csv, dataset_to_toml, energies_to_csv};
pub(crate) use traced_runs::{TracedCase, TracedRuns};

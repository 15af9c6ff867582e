//! Records -> the table that models are fitted to. Pure; `docs/energy.md` has the
//! definitions.

pub mod assemble;
pub(crate) mod contexts;
pub mod energy;
pub mod microbenchmarks;
pub(crate) mod output;
pub mod probe_cost;
pub mod windows;

pub use assemble::{AssembleOptions, IdlePolicy, assemble, lump_cases};
pub use assemble::{Dataset, LeftOut, MeasuredCase, SessionWindows};
pub use contexts::{CaseMixes, ContextsError};
pub use energy::CaseEnergy;
pub use output::Provenance;
pub use output::{dataset_to_csv, dataset_to_toml, energies_to_csv};

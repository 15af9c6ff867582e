//! Records -> the table that models are fitted to. Pure; `docs/energy.md` has the
//! definitions.

pub(crate) mod assemble;
pub(crate) mod contexts;
pub(crate) mod energy;
pub(crate) mod microbenchmarks;
pub(crate) mod output;
pub(crate) mod probe_cost;
pub(crate) mod windows;

pub(crate) use assemble::{AssembleOptions, IdlePolicy, assemble, lump_cases};
pub use assemble::{Dataset, LeftOut, MeasuredCase, SessionWindows};
pub use contexts::{CaseMixes, ContextsError};
pub use energy::CaseEnergy;
pub use output::Provenance;
pub(crate) use output::{dataset_to_csv, dataset_to_toml, energies_to_csv};

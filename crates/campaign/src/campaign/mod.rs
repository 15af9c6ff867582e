//! Which cases are measured, how often, in which order. A case is one input sequence
//! with one set of removed blocks. Pure and seeded: what running a case would do is
//! asked of a `DryRunner`, which builds a variant and runs it on the local JVM.

pub mod assign;
mod by_lines;
pub(crate) mod choose;
mod classify;
pub(crate) mod counts;
pub(crate) mod criterion;
mod describe;
pub(crate) mod dry;
mod exchange;
mod groups;
pub(crate) mod order;
pub(crate) mod plan;
mod planned;
mod planned_microbenchmarks;
mod pool;
mod proof;
pub(crate) mod residual_counts;
mod search;
mod selection;
mod sets;
pub(crate) mod snapshots;
pub(crate) mod stop;
pub(crate) mod table;

pub use assign::Assignment;
pub use assign::assign;
pub use counts::{OperationMatrix, count_operations, parse_executions};
pub use dry::DryError;
pub use dry::{DryCase, DryOutcome, DryRunner};
pub use order::{PlannedRun, RunPhase};
pub use order::{order_runs, with_sampler};
pub use plan::PlanError;
pub use plan::plan;
pub use planned::PlanSettings;
pub use planned::{DroppedBlock, Plan, PlanSummary, PlannedCase};
pub use planned_microbenchmarks::{PlannedMicrobenchmarks, most_executed};
pub use residual_counts::{RemainsError, ResidualCounts};
pub use snapshots::{CountSnapshot, SnapshotError, parse_snapshots};
pub use stop::{Replicated, outlook};
pub use table::{plan_to_csv, read_plan};

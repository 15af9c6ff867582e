//! Which cases are measured, how often, in which order. A case is one input sequence
//! with one set of removed blocks. Pure and seeded: what running a case would do is
//! asked of a [`Dry`], which builds a variant and runs it on the local JVM.

pub mod assign;
mod by_lines;
pub mod choose;
mod classify;
pub mod counts;
pub mod criterion;
mod describe;
pub mod dry;
mod groups;
pub mod order;
pub mod plan;
mod proof;
pub mod remains;
mod search;
mod selection;
mod sets;
pub mod snapshots;
pub mod stop;
pub mod table;

pub use assign::{Assignment, assign};
pub use counts::{CountsError, OperationMatrix, count_operations, parse_executions};
pub use dry::{Dry, DryCase, DryError, DryOutcome};
pub use order::{Phase, PlannedRun, order_runs};
pub use plan::{DroppedBlock, Plan, PlanError, PlanSettings, PlanSummary, PlannedCase, plan};
pub use remains::{Remains, RemainsError};
pub use snapshots::{Snapshot, SnapshotError, parse_snapshots};
pub use stop::{Outlook, Replicated, outlook};
pub use table::{plan_to_csv, read_plan};

//! The plan of a campaign: which cases are measured, how often, in which order. A case is one input
//! sequence with one set of removed blocks. Pure and seeded: a `DryRunner`, which builds a variant
//! and runs it, shows what a case does.

pub mod assign;
pub(crate) mod candidates;
pub(crate) mod case_planner;
mod classify;
pub(crate) mod counts;
pub(crate) mod criterion;
mod describe;
pub(crate) mod dry_runner;
mod exchange;
mod groups;
mod joint_removal;
mod line_error_criterion;
pub(crate) mod order;
mod own_builds;
mod plan_contents;
mod planned_microbenchmarks;
mod pool;
pub(crate) mod residual_counts;
mod search;
mod selection;
mod sets;
pub(crate) mod snapshots;
pub(crate) mod stop;
pub(crate) mod table;

pub use assign::Assignment;
pub use assign::assign;
pub use case_planner::PlanError;
pub use case_planner::plan_cases;
pub use counts::{OperationMatrix, count_operations, parse_executions};
pub use dry_runner::DryError;
pub use dry_runner::{DryCase, DryOutcome, DryRunner};
pub(crate) use joint_removal::MOST_REMOVED_JOINTLY;
pub use order::{PlannedRun, RunPhase};
pub use order::{order_runs, settings_with_sampled_repeats};
pub use plan_contents::PlanSettings;
pub use plan_contents::{DroppedBlock, JointRemoval, Plan, PlanSummary, PlannedCase};
pub use planned_microbenchmarks::{PlannedMicrobenchmarks, most_executed};
pub(crate) use residual_counts::RESIDUAL_COUNT_COLUMNS;
pub use residual_counts::{ResidualCounts, ResidualCountsError};
pub use snapshots::{CountSnapshot, SnapshotError, parse_snapshots};
pub use stop::{ReplicatedCase, line_error_outlook};
pub(crate) use table::PLAN_COLUMNS;
pub use table::{plan_to_csv, read_plan};

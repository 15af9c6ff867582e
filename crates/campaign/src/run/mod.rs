//! Runs of a campaign: a planned run on a board gives a record and raw logs, the evidence from
//! which all results are computed. The journal is append-only; its events determine a campaign's
//! state.
//!
//! ```text
//! DIR/journal.jsonl                      one line per finished run, each with a CRC
//! DIR/runs/base-north-power-1/           record.json, samples.txt.zst, logcat.txt.zst,
//!                                        session.txt.zst, counts.csv (traced runs),
//!                                        windows.txt.zst (with snapshots)
//! DIR/runs/base-north-power-1-retry-1/   the same run after a bad one
//! DIR/runs/base-north-power-1-on-left/   the same run, one of several boards
//! ```

pub(crate) mod basis;
pub(crate) mod campaign;
mod checks;
pub(crate) mod compared_time;
mod entry;
pub(crate) mod error;
pub(crate) mod fleet;
pub mod journal;
pub mod judge;
mod judge_settings;
mod options;
mod readings;
pub(crate) mod record;
pub(crate) mod run_problems;
pub mod store;

pub use basis::CampaignBasis;
pub use campaign::CampaignOutcome;
pub use campaign::{RepeatCheck, RunDriver, RunProgress, run_campaign_until};
pub use error::{DriverError, RunError};
pub use fleet::LostBoardPolicy;
pub use fleet::{FleetBoard, run_fleet};
pub use journal::{EarlyStop, read_journal};
pub use journal::{changes_of_basis, read_assignment};
pub use judge::judge_run;
pub use judge_settings::{JudgeSettings, RunReference};
pub use options::OnExisting;
pub use options::RunOptions;
pub use record::RawRun;
pub use record::{
    BoardIdentity, Conditions, ExitState, LEAST_REFRESHES, MeasuredSession, RawLogs, RawProfile,
    RunRecord, RunVerdict,
};
pub use run_problems::{RunProblem, run_problems};
pub use store::read_logs;
pub use store::{read_counts, read_run_stacks, read_stacks};

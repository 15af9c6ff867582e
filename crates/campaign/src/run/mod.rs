//! A planned run and a board -> a record and raw logs: the evidence that everything
//! later is computed from. The journal is append-only; a campaign's state is what the
//! journal says.
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
mod entry;
pub(crate) mod error;
pub(crate) mod fleet;
pub mod journal;
pub mod judge;
mod judge_settings;
mod options;
mod readings;
pub(crate) mod record;
pub mod store;
pub(crate) mod summary;

pub use basis::CampaignBasis;
pub use campaign::RunSummary;
pub use campaign::{Enough, RunDriver, RunProgress, run_campaign_until};
pub use error::{DriverError, RunError};
pub use fleet::WhenLost;
pub use fleet::{Member, run_fleet};
pub use journal::{Stopped, read_journal};
pub use journal::{changes_of_basis, read_assignment};
pub use judge::judge;
pub use judge_settings::{JudgeSettings, RunReference};
pub use options::OnExisting;
pub use options::RunOptions;
pub use record::RawRun;
pub use record::{
    BoardIdentity, Conditions, ExitState, LEAST_REFRESHES, MeasuredSession, RawLogs, RawProfile,
    RunRecord, RunVerdict,
};
pub use store::read_logs;
pub use store::{read_counts, read_stacks, read_stacks_of};
pub use summary::{Trouble, troubles};

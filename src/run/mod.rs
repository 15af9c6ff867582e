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

pub mod basis;
pub mod campaign;
mod checks;
mod entry;
pub mod error;
pub mod fleet;
pub mod journal;
pub mod judge;
mod readings;
pub mod record;
pub mod store;
pub mod summary;

pub use basis::Basis;
pub use campaign::{
    Enough, Progress, RunDriver, RunOptions, RunSummary, Start, run_campaign, run_campaign_until,
};
pub use error::{DriverError, RunError};
pub use fleet::{Member, WhenLost, run_fleet};
pub use journal::{Journal, Stopped, changes_of_basis, read_assignment, read_journal};
pub use judge::{JudgeSettings, Reference, judge};
pub use record::{
    BoardIdentity, Conditions, ExitState, Measured, RawLogs, RawProfile, RawRun, RunRecord, Verdict,
};
pub use store::{read_counts, read_logs, read_stacks, write_run};
pub use summary::{Trouble, troubles};

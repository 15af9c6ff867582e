//! Boards: a shell with exit codes and deadlines, files, applications, sessions. The only
//! module that knows ADB.
//!
//! To add another kind of board, implement [`Board`] in a file of its own; the sessions and
//! scripts of this module then run on it as they are.

mod adb;
mod board;
mod clocks;
mod error;
mod facts;
mod host_log;
mod input_command;
mod install;
mod install_remedies;
mod limit;
mod local;
mod local_meters;
mod local_session;
mod lock;
mod lost_lines;
mod meters;
mod monitored;
mod own_group;
mod plan;
mod prepare;
mod profile;
mod recovery;
mod remote_folders;
mod sampler;
mod scripts;
mod server;
mod session;
mod shell;
mod shortened;
mod status;
mod thread_times;
mod transfer;
mod virtual_board;

pub use adb::{AdbBoard, ListedBoard, RECONNECT_LIMIT, connect, disconnect, list, reconnect};
pub use board::{Board, ShellOutput};
pub use error::DeviceError;
pub use facts::facts;
pub use facts::{BoardFacts, Hardware};
pub use host_log::{HostLog, check_bench};
pub use input_command::InputCommand;
pub use limit::CancelFlag;
pub use local::{LOCAL_SERIAL, LocalJvm, local_shell};
pub use local_meters::powercap_reading;
pub use lock::{BoardLock, LockHolder};
pub use meters::offered;
pub use meters::{ChosenMeter, choose_meter};
pub use monitored::MonitoredDevice;
pub use own_group::{end_group, last_of};
pub use plan::{PackageEntryPoint, Pinning, SessionKind, SessionPlan};
pub use prepare::{BoardState, Frequency, Guard, PrepareOptions, prepare, restore};
pub use recovery::{await_abandoned, with_recovery};
pub use remote_folders::{LOCK_FOLDER, SCRIPT_FOLDER};
pub use sampler::Sampler;
pub use scripts::SCRIPTS;
pub use server::Server;
pub use session::run_session_watched;
pub use session::{SessionEnd, SessionLogs, SessionOutcome, run_session};
pub use shell::ShellMode;
pub use virtual_board::virtual_board_options;

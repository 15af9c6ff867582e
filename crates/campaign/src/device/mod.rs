//! Boards: shell commands with exit codes and deadlines, files, applications, sessions. The only
//! module that uses ADB.
//!
//! To add another kind of board, implement [`Board`] in a file of its own; the sessions and
//! scripts of this module then run on it as they are.

mod adb;
mod board;
mod call_limit;
mod clocks;
mod error;
mod facts;
mod host_log;
mod input_command;
mod install;
mod install_remedies;
mod instrumentation_status;
mod local;
mod local_meters;
mod local_session;
mod lock;
mod lost_lines;
mod meters;
mod monitored_device;
mod own_group;
mod prepare;
mod recovery;
mod remote_folders;
mod sampler;
mod scripts;
mod server;
mod session;
mod session_plan;
mod session_profile;
mod shell;
mod shortened;
mod thread_times;
mod transfer;
mod virtual_board;

pub use adb::{
    AdbBoard, ListedBoard, RECONNECT_LIMIT, connect, disconnect, list_boards, reconnect,
};
pub use board::{Board, ShellOutput};
pub use call_limit::CancelFlag;
pub use error::DeviceError;
pub use facts::read_facts;
pub use facts::{BoardFacts, HardwareKind};
pub use host_log::{HostLog, check_has_bench_log};
pub use input_command::InputCommand;
pub use local::{LOCAL_SERIAL, LocalJvm, local_shell};
pub use local_meters::powercap_reading;
pub use lock::{BoardLock, LockHolder};
pub use meters::read_offer;
pub use meters::{ChosenMeter, choose_meter};
pub use monitored_device::MonitoredDevice;
pub use own_group::{end_group, last_of};
pub use prepare::{BoardState, FrequencySetting, GuardSetting, PrepareOptions, prepare, restore};
pub use recovery::{await_abandoned_session, with_recovery};
pub use remote_folders::{LOCK_FOLDER, SCRIPT_FOLDER};
pub use sampler::Sampler;
pub use scripts::SCRIPTS;
pub use server::Server;
pub use session::run_session_watched;
pub use session::{SessionEnd, SessionLogs, SessionOutcome, run_session};
pub use session_plan::{PackageEntryPoint, Pinning, SessionKind, SessionPlan};
pub use shell::ShellMode;
pub use virtual_board::virtual_board_options;

//! Paths of wattline's folders on a board.

/// The folder on a board with the scripts and the files of a session.
pub const SCRIPT_FOLDER: &str = "/data/local/tmp/wattline";

/// The folder on a board that is its lock.
pub const LOCK_FOLDER: &str = "/data/local/tmp/wattline/lock";

//! Folders on a board.

/// Where the scripts and the files of a session lie on a board.
pub const SCRIPT_FOLDER: &str = "/data/local/tmp/wattline";

/// The folder on a board that is its lock.
pub const LOCK_FOLDER: &str = "/data/local/tmp/wattline/lock";

//! Paths of files in a command's arguments.

/// Absolute path of a file name given in a folder of the board.
pub(super) fn path_in(folder: &str, name: &str) -> String {
    if name.starts_with('/') { name.to_owned() } else { format!("{folder}/{name}") }
}

//! Paths of the files that are named in a call.

/// The path of a file that was named in a folder of the board.
pub(super) fn path_in(folder: &str, name: &str) -> String {
    if name.starts_with('/') { name.to_owned() } else { format!("{folder}/{name}") }
}

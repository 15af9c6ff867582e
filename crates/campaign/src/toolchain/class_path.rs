//! Class path strings for Java's programs.

use std::path::PathBuf;

/// Joins paths with Java's separator, `:` (`;` on Windows). The result is never empty, because
/// javac would then take the current folder.
pub fn join_paths(paths: &[PathBuf]) -> String {
    const SEPARATOR: &str = if cfg!(windows) { ";" } else { ":" };
    if paths.is_empty() {
        return SEPARATOR.to_string();
    }
    let texts: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    texts.join(SEPARATOR)
}

//! Class paths as Java's programs take them.

use std::path::PathBuf;

/// Paths as Java's class path: separated by `:` (`;` on Windows). Never empty, since
/// javac would take the current folder.
pub fn join_paths(paths: &[PathBuf]) -> String {
    const SEPARATOR: &str = if cfg!(windows) { ";" } else { ":" };
    if paths.is_empty() {
        return SEPARATOR.to_string();
    }
    let texts: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    texts.join(SEPARATOR)
}

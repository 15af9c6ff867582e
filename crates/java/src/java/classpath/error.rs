//! Errors of opening a class path.

use std::path::PathBuf;

/// Reasons why a class path can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum ClassPathError {
    /// An entry that does not exist.
    #[error("class path entry {0} does not exist; name an existing jar or folder of class files")]
    Missing(PathBuf),
    /// A file that can't be read.
    #[error("class path entry {path} can't be read: {source}")]
    Unreadable {
        /// The entry.
        path: PathBuf,
        /// Error of the system.
        #[source]
        source: std::io::Error,
    },
    /// A file that is no archive.
    #[error("class path entry {path} is not a jar; name a jar or a folder of class files")]
    NotAJar {
        /// The entry.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: zip::result::ZipError,
    },
}

//! Why a class path can't be opened.

use std::path::PathBuf;

/// Why a class path can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum ClassPathError {
    /// An entry is not there.
    #[error("class path entry {0} does not exist; name an existing jar or folder of class files")]
    Missing(PathBuf),
    /// A file can't be read.
    #[error("class path entry {path} can't be read: {source}")]
    Unreadable {
        /// The entry.
        path: PathBuf,
        /// The system's answer.
        #[source]
        source: std::io::Error,
    },
    /// A file is not an archive.
    #[error("class path entry {path} is not a jar; name a jar or a folder of class files")]
    NotAJar {
        /// The entry.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: zip::result::ZipError,
    },
}

//! Log file of a user: packed (gzip, zstd) or not, or an archive (zip, tar) of several logs, as
//! tools of the field write them: traces of one or more machines, the zip file of an Android bug
//! report. No entry of an archive is ever written under its own name.

mod archive;
mod manifest;
mod member;
mod text;
mod traces;

pub(crate) use archive::is_trace;
pub(crate) use text::{LogFileKind, TextLog, find_text_log, log_file_kind};
pub(crate) use traces::{TraceFiles, find_traces};

use std::io;

use crate::format;
use crate::toolchain::archive::ArchiveFault;

/// Error of reading a log.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LogFileError {
    /// I/O error, or damage of the compression.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Damage of the archive.
    #[error("it is a zip archive, and {0}")]
    Zip(#[from] ArchiveFault),
    /// The archive has no entry of the wanted kind, or several.
    #[error("it is an archive with {found}; {remedy}")]
    Entries {
        /// Number of entries of each kind, and their names.
        found: String,
        /// Remedy for the user.
        remedy: &'static str,
    },
    /// The file is no Perfetto trace.
    #[error("it is no Perfetto trace{0}")]
    NoTrace(&'static str),
    /// The manifest of an archive of traces is invalid or cannot be followed.
    #[error("its manifest {entry}: {problem}")]
    Manifest {
        /// Name of the entry.
        entry: String,
        /// Fault of the manifest.
        problem: String,
    },
    /// The traces are of several machines, none of which was chosen.
    #[error("it has traces of several machines; --machine chooses one of {0}")]
    Machines(String),
    /// The traces have no machine of the chosen name.
    #[error("it has no machine {wanted}; there are: {known}")]
    NoMachine {
        /// Chosen name.
        wanted: String,
        /// Names of the machines in the traces.
        known: String,
    },
}

/// Names for a message: the first few, and the number of the others.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 6;
    format::listed(names, SHOWN)
}

//! A log as a user gives it: a file, packed (gzip, zstd) or not, or an archive (zip, tar) of
//! several, as tools of the field write them: traces of one or more machines, the zip file of
//! an Android bug report. Nothing of an archive is ever written under a name of its own.

mod archive;
mod manifest;
mod member;
mod text;
mod traces;

pub(crate) use archive::is_trace;
pub(crate) use text::{GivenLog, TextLog, given_log, text_log};
pub(crate) use traces::{TraceFiles, traces};

use std::io;

use crate::format;
use crate::toolchain::archive::ArchiveFault;

/// Why a log can't be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LogFileError {
    /// The system, or damage of what packs the log.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The archive.
    #[error("it is a zip archive, and {0}")]
    Zip(#[from] ArchiveFault),
    /// The archive has no entry of the kind that is asked for, or several.
    #[error("it is an archive with {found}; {remedy}")]
    Entries {
        /// How many entries of which kind, and their names.
        found: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The file is no Perfetto trace.
    #[error("it is no Perfetto trace{0}")]
    NoTrace(&'static str),
    /// A manifest of an archive of traces.
    #[error("its manifest {entry}: {problem}")]
    Manifest {
        /// The entry.
        entry: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Traces of several machines, none of which was chosen.
    #[error("it has traces of several machines; --machine chooses one of {0}")]
    Machines(String),
    /// A machine that is not in it.
    #[error("it has no machine {wanted}; there are: {known}")]
    NoMachine {
        /// What was asked for.
        wanted: String,
        /// What there is.
        known: String,
    },
}

/// Names as a message shows them: the first few, and how many more there are.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 6;
    format::listed(names, SHOWN)
}

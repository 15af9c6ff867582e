//! Why a package can't be read or installed.

use std::io;

use thiserror::Error;

use crate::simulated_model::SimulatedModelError;

/// Why the board can't read packages.
#[derive(Debug, Error)]
pub(crate) enum AndroidError {
    #[error("this board was started without what reads packages")]
    None,
    #[error("{0}")]
    NotFetched(String),
    #[error(transparent)]
    Build(#[from] SimulatedModelError),
    #[error("the reader of packages does not answer: {0}")]
    Io(#[from] io::Error),
}

/// Why an application can't be installed, in the package manager's words.
#[derive(Debug, Error)]
pub(crate) enum InstallError {
    #[error("INSTALL_FAILED_INVALID_URI: no such file")]
    Missing,
    #[error("INSTALL_PARSE_FAILED_NOT_APK: not an archive")]
    NotJar,
    #[error("INSTALL_PARSE_FAILED_NOT_APK: {0}")]
    BadEntries(String),
    #[error("{0}")]
    Refused(String),
    #[error("INSTALL_FAILED_INTERNAL_ERROR: {0}")]
    Reader(#[from] AndroidError),
    #[error("INSTALL_FAILED_INSUFFICIENT_STORAGE: the disk is full")]
    Full,
    #[error("DELETE_FAILED_INTERNAL_ERROR: not installed")]
    NotInstalled,
    #[error("INSTALL_FAILED_INSUFFICIENT_STORAGE: {0}")]
    Storage(#[from] io::Error),
}

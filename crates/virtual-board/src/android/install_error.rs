//! Errors of reading and installing packages.

use std::io;

use thiserror::Error;

use crate::simulated_model::SimulatedModelError;

/// Error that keeps the board from reading any package.
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

/// Error of installing an application, with the message of Android's package manager.
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

//! In which form an application goes to a board.

use std::path::{Path, PathBuf};

use crate::build::package::RUNNER;
use crate::device::PackageEntryPoint;
use crate::scenario::{Scenario, StartKind};

use super::Failure;
use super::boards::OpenBoard;

/// What a board installs, and starts an application by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PackageKind {
    /// A jar, by its class with `main`.
    Jar,
    /// A signed Android package, by its instrumentation.
    Package,
}

impl PackageKind {
    /// What a scenario's application is on a board: on this machine always a jar, on a real
    /// board, which takes nothing else, always a package.
    pub(crate) fn of(scenario: &Scenario, board: &OpenBoard) -> PackageKind {
        match scenario.application.start {
            _ if board.is_local() => PackageKind::Jar,
            StartKind::Main if board.facts.is_virtual() => PackageKind::Jar,
            StartKind::Main | StartKind::Instrument | StartKind::Activity => PackageKind::Package,
        }
    }

    /// What is started, and what it is, of an application with this class with `main`.
    pub(crate) fn entry(self, main: &str) -> (String, PackageEntryPoint) {
        match self {
            PackageKind::Jar => (main.to_owned(), PackageEntryPoint::Activity),
            PackageKind::Package => (RUNNER.to_owned(), PackageEntryPoint::Instrumentation),
        }
    }
}

/// A file with an application's bytes.
pub(crate) fn application_file(
    bytes: &[u8],
    form: PackageKind,
    folder: &Path,
) -> Result<PathBuf, Failure> {
    let path = folder.join(match form {
        PackageKind::Jar => "application.jar",
        PackageKind::Package => "application.apk",
    });
    std::fs::write(&path, bytes).map_err(Failure::io("write", &path))?;
    Ok(path)
}

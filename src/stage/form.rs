//! In which form an application goes to a board.

use std::path::{Path, PathBuf};

use crate::build::package::RUNNER;
use crate::device::Entry;
use crate::scenario::{Scenario, StartKind};

use super::Failure;
use super::boards::OpenBoard;

/// What a board installs, and starts an application by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// A jar, by its class with `main`.
    Jar,
    /// A signed Android package, by its instrumentation.
    Package,
}

impl Form {
    /// What a scenario's application is on a board: on this machine always a jar, on a real
    /// board, which takes nothing else, always a package.
    pub(crate) fn of(scenario: &Scenario, board: &OpenBoard) -> Form {
        match scenario.application.start {
            _ if board.is_local() => Form::Jar,
            StartKind::Main if board.facts.is_virtual() => Form::Jar,
            StartKind::Main | StartKind::Instrument | StartKind::Activity => Form::Package,
        }
    }

    /// What is started, and what it is, of an application with this class with `main`.
    pub(crate) fn entry(self, main: &str) -> (String, Entry) {
        match self {
            Form::Jar => (main.to_owned(), Entry::Activity),
            Form::Package => (RUNNER.to_owned(), Entry::Instrumentation),
        }
    }
}

/// A file with an application's bytes.
pub(crate) fn application_file(
    bytes: &[u8],
    form: Form,
    folder: &Path,
) -> Result<PathBuf, Failure> {
    let path = folder.join(match form {
        Form::Jar => "application.jar",
        Form::Package => "application.apk",
    });
    std::fs::write(&path, bytes).map_err(Failure::io("write", &path))?;
    Ok(path)
}

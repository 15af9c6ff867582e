//! In which form an application goes to a board.

use std::path::{Path, PathBuf};

use crate::build::package::{RUNNER, runner_package};
use crate::device::{DeviceError, PackageEntryPoint};
use crate::failure::Failure;
use crate::scenario::{Scenario, StartKind};

use super::OpenBoard;

/// What a board installs, and starts an application by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PackageKind {
    /// A jar, by its class with `main`.
    Jar,
    /// A signed Android package, by its instrumentation.
    Package,
    /// The package of the application's own build with other code, by the instrumentation of a
    /// package beside it, so that its manifest stays.
    Own,
}

impl PackageKind {
    /// What a scenario's application is on a board: on this machine always a jar, on a real
    /// board, which takes nothing else, always a package.
    pub fn of(scenario: &Scenario, board: &OpenBoard<'_>) -> PackageKind {
        match scenario.application.apk {
            Some(_) => PackageKind::Own,
            None => PackageKind::of_ours(scenario, board),
        }
    }

    /// What a program of wattline's own making is on a board, such as microbenchmarks.
    pub(crate) fn of_ours(scenario: &Scenario, board: &OpenBoard<'_>) -> PackageKind {
        match scenario.application.start {
            _ if board.is_local() => PackageKind::Jar,
            StartKind::Main if board.facts.is_virtual() => PackageKind::Jar,
            _ => PackageKind::Package,
        }
    }

    /// What is started, and what it is, of a package's application with this class with `main`.
    pub fn entry(self, package: &str, main: &str) -> (String, PackageEntryPoint) {
        let runner = |name: String| (name, PackageEntryPoint::Instrumentation);
        match self {
            PackageKind::Jar => (main.to_owned(), PackageEntryPoint::Activity),
            PackageKind::Package => runner(RUNNER.to_owned()),
            PackageKind::Own => runner(format!("{}/{RUNNER}", runner_package(package))),
        }
    }
}

/// An application as a board installs it.
#[derive(Debug, Clone)]
pub(crate) struct InstallableApplication {
    /// The application's file.
    pub file: PathBuf,
    /// Tells it from others.
    pub version: String,
    /// The file of the package whose instrumentation starts it, where it has none itself.
    pub runner: Option<PathBuf>,
}

/// What a board has been given.
#[derive(Debug, Default)]
pub(crate) struct InstalledVersions {
    application: Option<String>,
    has_runner: bool,
}

impl InstalledVersions {
    /// Nothing may be left of it: the board was lost, and may be another one now.
    pub fn forget(&mut self) {
        *self = InstalledVersions::default();
    }

    /// Installs what the board does not have.
    pub fn install(
        &mut self,
        board: &OpenBoard<'_>,
        application: &InstallableApplication,
        package: &str,
    ) -> Result<(), DeviceError> {
        // The runner's comes first: how the last package was compiled is kept on the board.
        if let Some(runner) = application.runner.as_ref().filter(|_| !self.has_runner) {
            board.install(runner, &runner_package(package))?;
            self.has_runner = true;
        }
        if self.application.as_ref() != Some(&application.version) {
            self.application = None;
            board.install(&application.file, package)?;
            self.application = Some(application.version.clone());
        }
        Ok(())
    }
}

/// A file with an application's bytes.
pub(crate) fn application_file(
    bytes: &[u8],
    form: PackageKind,
    folder: &Path,
) -> Result<PathBuf, Failure> {
    let name = match form {
        PackageKind::Jar => "application.jar",
        PackageKind::Package | PackageKind::Own => "application.apk",
    };
    written(folder, name, bytes)
}

/// A file with these bytes.
pub fn written(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let path = folder.join(name);
    std::fs::write(&path, bytes).map_err(Failure::io("write", &path))?;
    Ok(path)
}

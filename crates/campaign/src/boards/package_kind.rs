//! The kind of package in which an application goes to a board, and its installation.

use std::path::{Path, PathBuf};

use crate::build::package::{RUNNER_CLASS, runner_package};
use crate::device::{DeviceError, PackageEntryPoint};
use crate::failure::Failure;
use crate::scenario::{Scenario, StartKind};

use super::OpenBoard;

/// The kind of package that a board installs, with the way it starts the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PackageKind {
    /// A jar, by its class with `main`.
    Jar,
    /// A signed Android package, by its instrumentation.
    Package,
    /// The package of the application's own build with other code, started by the instrumentation
    /// of a second package, so that its manifest stays.
    Own,
}

impl PackageKind {
    /// The kind of package of a scenario's application on a board: the scenario's own `apk` where it
    /// names one; else a jar on this machine and, of a class with `main`, on a virtual board; else an
    /// Android package.
    pub fn for_scenario_on(scenario: &Scenario, board: &OpenBoard<'_>) -> PackageKind {
        match scenario.application.apk {
            Some(_) => PackageKind::Own,
            None => PackageKind::for_own_programs_on(scenario, board),
        }
    }

    /// The kind of package of wattline's own programs on a board, such as microbenchmarks.
    pub(crate) fn for_own_programs_on(scenario: &Scenario, board: &OpenBoard<'_>) -> PackageKind {
        match scenario.application.start {
            _ if board.is_local() => PackageKind::Jar,
            StartKind::Main if board.facts.is_virtual() => PackageKind::Jar,
            _ => PackageKind::Package,
        }
    }

    /// The name to start for the package `package` with the main class `main`, and the kind of that
    /// entry point.
    pub fn entry(self, package: &str, main: &str) -> (String, PackageEntryPoint) {
        let runner = |name: String| (name, PackageEntryPoint::Instrumentation);
        match self {
            PackageKind::Jar => (main.to_owned(), PackageEntryPoint::Activity),
            PackageKind::Package => runner(RUNNER_CLASS.to_owned()),
            PackageKind::Own => runner(format!("{}/{RUNNER_CLASS}", runner_package(package))),
        }
    }
}

/// An application's file with its version, ready to be installed on a board.
#[derive(Debug, Clone)]
pub(crate) struct InstallableApplication {
    /// The application's file.
    pub file: PathBuf,
    /// Text that identifies the version.
    pub version: String,
    /// File of the package whose instrumentation starts the application, if the application has
    /// none itself.
    pub runner: Option<PathBuf>,
}

/// The versions of application and runner that a board has installed.
#[derive(Debug, Default)]
pub(crate) struct InstalledVersions {
    application: Option<String>,
    has_runner: bool,
}

impl InstalledVersions {
    /// Forgets the installed versions: the board was lost, and may be another one now.
    pub fn forget(&mut self) {
        *self = InstalledVersions::default();
    }

    /// Installs application and runner unless the board has these versions.
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

/// Writes an application's bytes to a file in a folder.
pub(crate) fn write_application_file(
    bytes: &[u8],
    form: PackageKind,
    folder: &Path,
) -> Result<PathBuf, Failure> {
    let name = match form {
        PackageKind::Jar => "application.jar",
        PackageKind::Package | PackageKind::Own => "application.apk",
    };
    write_file_in(folder, name, bytes)
}

/// Writes bytes to a file in a folder and returns its path.
pub fn write_file_in(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let path = folder.join(name);
    std::fs::write(&path, bytes).map_err(Failure::io("write", &path))?;
    Ok(path)
}

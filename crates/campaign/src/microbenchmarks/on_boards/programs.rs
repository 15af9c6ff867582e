//! The microbenchmarks' program, built in each kind of package that boards need.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::boards::OpenBoard;
use crate::boards::package_kind::{PackageKind, write_application_file};
use crate::build::package::PackageBuilder;
use crate::build::{BuiltVariant, VariantBuilder};
use crate::failure::Failure;
use crate::instrument::Probe;
use crate::microbenchmarks::program;
use crate::private_files::TemporaryFolder;
use crate::scenario::{Scenario, StartKind};
use crate::toolchain::artifact::hash_of_bytes;
use crate::toolchain::code_listing::{ListedMethod, list_code};
use crate::toolchain::{Jdk, ToolchainError, jar};

/// A program's file, ready to be installed.
pub(super) struct BuiltProgram {
    /// Its file.
    pub file: PathBuf,
    /// SHA-256 of its bytes.
    pub hash: String,
}

/// The microbenchmarks' program in each kind of package that the boards need.
pub struct BuiltPrograms {
    by_kind: BTreeMap<PackageKind, BuiltProgram>,
    variant: BuiltVariant,
    folder: TemporaryFolder,
}

impl BuiltPrograms {
    /// Builds the program without probes for all boards.
    ///
    /// # Errors
    /// javac, D8 or the signer refuses it; a file can't be written.
    pub fn build(
        scenario: &Scenario,
        builder: &mut VariantBuilder<'_>,
        boards: &[OpenBoard<'_>],
    ) -> Result<Self, Failure> {
        let variant = builder.build(&BTreeSet::new(), Probe::Plain)?;
        let folder = TemporaryFolder::new("microbenchmarks")
            .map_err(Failure::io("create", std::env::temp_dir()))?;
        let kinds: BTreeSet<PackageKind> =
            boards.iter().map(|board| PackageKind::for_own_programs_on(scenario, board)).collect();
        let mut by_kind = BTreeMap::new();
        for kind in kinds {
            let bytes = package(kind, scenario, &variant, builder.jdk())?;
            let file = write_application_file(&bytes, kind, folder.path())?;
            by_kind.insert(kind, BuiltProgram { file, hash: hash_of_bytes(&bytes) });
        }
        Ok(Self { by_kind, variant, folder })
    }

    /// The instructions of the program's class files, and of the packages that go to boards.
    ///
    /// # Errors
    /// The program that lists them can't be built or started.
    pub fn list_code(&self, jdk: &Jdk) -> Result<Vec<ListedMethod>, Failure> {
        let classes = self.classes()?;
        let packages = self.by_kind.iter().filter(|(kind, _)| **kind != PackageKind::Jar);
        let packages = packages.map(|(_, built)| built.file.clone());
        let archives: Vec<PathBuf> = std::iter::once(classes).chain(packages).collect();
        Ok(list_code(jdk, &archives)?)
    }

    /// A jar of the program's class files.
    pub(super) fn classes(&self) -> Result<PathBuf, Failure> {
        let path = self.folder.path().join("classes.jar");
        if !path.exists() {
            std::fs::write(&path, jar::pack(&[], &self.variant.classes))
                .map_err(ToolchainError::io("write", &path))?;
        }
        Ok(path)
    }

    /// The program in a kind of package.
    pub(super) fn of(&self, kind: PackageKind) -> Result<&BuiltProgram, Failure> {
        let missing = || Failure::Board("the microbenchmarks were not built for this board".into());
        self.by_kind.get(&kind).ok_or_else(missing)
    }
}

/// The bytes of the program in a kind of package.
fn package(
    kind: PackageKind,
    scenario: &Scenario,
    variant: &BuiltVariant,
    jdk: &Jdk,
) -> Result<Vec<u8>, Failure> {
    if kind == PackageKind::Jar {
        let name = ("Wattline-Package", program::PACKAGE_NAME);
        return Ok(jar::pack(&[("Main-Class", program::MAIN_CLASS), name], &variant.classes));
    }
    let mut of_microbenchmarks = scenario.clone();
    of_microbenchmarks.application.package = program::PACKAGE_NAME.to_string();
    of_microbenchmarks.application.main = Some(program::MAIN_CLASS.to_string());
    of_microbenchmarks.application.start = StartKind::Instrument;
    of_microbenchmarks.application.apk = None;
    let mut packages = PackageBuilder::new(jdk)?;
    Ok(packages.build(&of_microbenchmarks, variant.classes.clone(), None)?.bytes)
}

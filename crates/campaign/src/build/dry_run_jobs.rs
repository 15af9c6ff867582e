//! Variants to run in dry runs, from the shared switch build or from builds of their own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::blocks::BlockId;
use crate::instrument::Probe;
use crate::private_files::TemporaryFolder;
use crate::toolchain::jar;

use super::variant_runner::VariantRunner;
use super::{BuildError, VariantBuilder};

/// Jar of the build with switches.
pub(super) struct SwitchBuild {
    /// Temporary folder, deleted on drop.
    pub(super) _folder: TemporaryFolder,
    pub(super) jar: PathBuf,
    /// JVM options that use the jar's class data sharing archive.
    pub(super) options: Vec<String>,
}

/// A variant to run, with JVM options and switches.
pub(super) struct DryRunJob {
    /// Folder or jar of its classes.
    pub(super) classes: PathBuf,
    /// Additional JVM options.
    pub(super) options: Vec<String>,
    /// Switches that are off, in the build's encoding; `None` for a variant with a build of its
    /// own.
    pub(super) off: Option<String>,
    pub(super) removed: BTreeSet<BlockId>,
    pub(super) kept: Vec<(BlockId, String)>,
    /// Message of the first run that hung; other runs of the variant then are skipped.
    pub(super) hung: OnceLock<String>,
}

/// Prepares jobs: without compiling where switches suffice.
pub(super) struct JobMaker<'m, 'a> {
    pub(super) runner: &'m VariantRunner<'m>,
    pub(super) builder: &'m mut VariantBuilder<'a>,
    pub(super) shared: Option<&'m SwitchBuild>,
    pub(super) folder: &'m Path,
}

impl JobMaker<'_, '_> {
    /// The job of the variant without `removed`; `number` distinguishes its folder.
    pub(super) fn job(
        &mut self,
        removed: &[BlockId],
        number: usize,
    ) -> Result<DryRunJob, BuildError> {
        let removed: BTreeSet<BlockId> = removed.iter().copied().collect();
        if let Some(shared) = self.shared
            && let Some(off) = self.builder.switches_of(&removed)?
        {
            let (classes, options) = (shared.jar.clone(), shared.options.clone());
            let (kept, hung) = (Vec::new(), OnceLock::new());
            return Ok(DryRunJob { classes, options, off: Some(off), removed, kept, hung });
        }
        let variant = self.builder.build(&removed, Probe::Count)?;
        let classes = self.folder.join(number.to_string());
        let runnable = self.runner.loadable(&variant.classes)?;
        jar::write_folder(&classes, &runnable)?;
        let (removed, kept) = (variant.removed, variant.kept);
        let hung = OnceLock::new();
        Ok(DryRunJob { classes, options: Vec::new(), off: None, removed, kept, hung })
    }
}

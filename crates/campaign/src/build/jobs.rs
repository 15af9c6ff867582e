//! What is run in a dry run: the build that tries share, or a variant's own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::blocks::BlockId;
use crate::instrument::Probe;
use crate::private_files::TemporaryFolder;
use crate::toolchain::jar;

use super::runner::VariantRunner;
use super::{BuildError, VariantBuilder};

/// The build with switches, on disk.
pub(super) struct SwitchBuild {
    /// Deleted with this.
    pub(super) _folder: TemporaryFolder,
    pub(super) jar: PathBuf,
    /// What the JVM has to be told to start fast with this jar.
    pub(super) options: Vec<String>,
}

/// A variant that is to be run.
pub(super) struct Job {
    /// Its classes: a folder or a jar.
    pub(super) classes: PathBuf,
    /// More options of the JVM.
    pub(super) options: Vec<String>,
    /// Switches that are off, as their build reads them; none for a variant that was compiled
    /// for itself.
    pub(super) off: Option<String>,
    pub(super) removed: BTreeSet<BlockId>,
    pub(super) kept: Vec<(BlockId, String)>,
    /// What was said when it hung with some input: others wait no more.
    pub(super) hung: OnceLock<String>,
}

/// Makes jobs: without compiling where the switches can do it.
pub(super) struct Maker<'m, 'a> {
    pub(super) runner: &'m VariantRunner<'m>,
    pub(super) builder: &'m mut VariantBuilder<'a>,
    pub(super) shared: Option<&'m SwitchBuild>,
    pub(super) folder: &'m Path,
}

impl Maker<'_, '_> {
    /// The variant without `removed`; `number` tells it from others in the folder.
    pub(super) fn job(&mut self, removed: &[BlockId], number: usize) -> Result<Job, BuildError> {
        let removed: BTreeSet<BlockId> = removed.iter().copied().collect();
        if let Some(shared) = self.shared
            && let Some(off) = self.builder.switches_of(&removed)?
        {
            let (classes, options) = (shared.jar.clone(), shared.options.clone());
            let (kept, hung) = (Vec::new(), OnceLock::new());
            return Ok(Job { classes, options, off: Some(off), removed, kept, hung });
        }
        let variant = self.builder.build(&removed, Probe::Count)?;
        let classes = self.folder.join(number.to_string());
        let runnable = self.runner.runnable(&variant.classes)?;
        jar::write_folder(&classes, &runnable)?;
        let (removed, kept) = (variant.removed, variant.kept);
        let hung = OnceLock::new();
        Ok(Job { classes, options: Vec::new(), off: None, removed, kept, hung })
    }
}

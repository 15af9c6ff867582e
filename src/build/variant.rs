//! Variants: the application with a set of blocks removed, with or without probes,
//! as compiled classes. Only files that a removal touches are compiled again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::blocks::{BlockId, FileBlocks};
use crate::finding::Finding;
use crate::instrument::{self, GeneratedFile, Instrumented, Options, Probe};
use crate::toolchain::compiler::CompileRequest;
use crate::toolchain::{Compiler, Diagnostic, Jdk, jar};

use super::switched::Switched;
use super::{Application, BuildError};

/// Class files of a variant and what became of the blocks to be removed.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Entry name -> class file.
    pub classes: BTreeMap<String, Vec<u8>>,
    /// Blocks whose statements are gone.
    pub removed: BTreeSet<BlockId>,
    /// Blocks that had to stay, because javac refused the removal, with its words.
    pub kept: Vec<(BlockId, String)>,
}

/// Builds variants of one application.
pub struct VariantBuilder<'a> {
    pub(super) application: &'a Application,
    pub(super) blocks: Vec<FileBlocks<'a>>,
    release: u32,
    without_assertions: bool,
    compiler: Compiler,
    pub(super) folder: tempfile::TempDir,
    pub(super) bases: BTreeMap<Probe, Base>,
    pub(super) switched: Option<Switched<'a>>,
    built: u32,
}

/// Entry name -> class file.
pub(super) type Classes = BTreeMap<String, Vec<u8>>;

/// The unremoved application with one probe.
pub(super) struct Base {
    /// Path -> text of every file, the probe's runtime included.
    texts: BTreeMap<String, String>,
    /// Class folder.
    folder: PathBuf,
    pub(super) classes: Classes,
    /// Blocks without a probe, since their file did not compile with it.
    pub(super) skip: BTreeSet<BlockId>,
    findings: Vec<Finding>,
}

/// How often a refused compilation is tried again with fewer blocks changed.
const MOST_REPAIRS: u32 = 12;

impl<'a> VariantBuilder<'a> {
    /// Starts a compiler. Nothing is compiled yet.
    pub fn new(
        application: &'a Application,
        jdk: &Jdk,
        release: u32,
    ) -> Result<VariantBuilder<'a>, BuildError> {
        let folder = tempfile::tempdir().map_err(BuildError::io(std::env::temp_dir()))?;
        Ok(VariantBuilder {
            application,
            blocks: application.blocks(),
            release,
            without_assertions: false,
            compiler: Compiler::start(jdk)?,
            folder,
            bases: BTreeMap::new(),
            switched: None,
            built: 0,
        })
    }

    /// Leaves `assert` statements out of everything that is built.
    #[must_use]
    pub fn without_assertions(self) -> VariantBuilder<'a> {
        VariantBuilder { without_assertions: true, ..self }
    }

    /// How a build with this probe is instrumented, before anything is removed.
    pub(super) fn options(&self, probe: Probe, skip: BTreeSet<BlockId>) -> Options {
        let without_assertions = self.without_assertions;
        Options { probe, skip, without_assertions, ..Options::default() }
    }

    /// The variant without `removed`, with `probe`.
    pub fn build(
        &mut self,
        removed: &BTreeSet<BlockId>,
        probe: Probe,
    ) -> Result<Variant, BuildError> {
        self.prepare_base(probe)?;
        let mut removed = removed.clone();
        let mut kept = Vec::new();
        for _ in 0..MOST_REPAIRS {
            let changed = self.changed_texts(&removed, probe);
            match self.compile_changed(&changed, probe)? {
                Ok(classes) => return Ok(Variant { classes, removed, kept }),
                Err(errors) => self.keep_refused(&errors, &mut removed, &mut kept),
            }
        }
        Ok(Variant { classes: self.bases[&probe].classes.clone(), removed: BTreeSet::new(), kept })
    }

    /// The application whose variants are built.
    pub fn application(&self) -> &'a Application {
        self.application
    }

    /// What the probe could not do in the unremoved application.
    pub fn findings(&self, probe: Probe) -> &[Finding] {
        self.bases.get(&probe).map_or(&[], |base| &base.findings)
    }

    pub(super) fn prepare_base(&mut self, probe: Probe) -> Result<(), BuildError> {
        if self.bases.contains_key(&probe) {
            return Ok(());
        }
        let folder = self.folder.path().join(format!("base-{probe:?}"));
        let mut skip = BTreeSet::new();
        for _ in 0..MOST_REPAIRS {
            let options = self.options(probe, skip.clone());
            let (texts, made) = self.texts(&options);
            let output = folder.join("classes");
            match self.compile(&folder, &texts, &[], &output)? {
                Ok(()) => {
                    let classes = jar::read_folder(&output)?;
                    let findings = made.findings;
                    let base = Base { texts, folder: output, classes, skip, findings };
                    self.bases.insert(probe, base);
                    return Ok(());
                }
                Err(errors) => {
                    let blamed = self.probed_blocks_at(&errors, &folder);
                    if probe == Probe::Plain || blamed.iter().all(|id| skip.contains(id)) {
                        return Err(BuildError::refused("application", &errors));
                    }
                    skip.extend(blamed);
                }
            }
        }
        Err(BuildError::refused("instrumented application", &[]))
    }

    /// All files of the application, instrumented; `files` of what was made are in the
    /// texts.
    pub(super) fn texts(&self, options: &Options) -> (BTreeMap<String, String>, Instrumented) {
        let mut made = instrument::instrument(&self.application.files, &self.blocks, options);
        let plain = self.application.sources.files.iter().filter(|file| !file.analyse);
        let plain = plain.map(|file| (file.path.clone(), file.text.clone()));
        let generated = std::mem::take(&mut made.files).into_iter();
        let generated = generated.chain(made.runtime.take()).chain(made.switch_file.take());
        let texts = generated.map(|file| (file.path, file.text)).chain(plain).collect();
        (texts, made)
    }

    /// The texts that differ from the base's.
    fn changed_texts(&self, removed: &BTreeSet<BlockId>, probe: Probe) -> BTreeMap<String, String> {
        let base = &self.bases[&probe];
        let options =
            Options { removed: removed.clone(), ..self.options(probe, base.skip.clone()) };
        let files = &self.application.files;
        let made = instrument::instrument_changed(files, &self.blocks, &options).into_iter();
        let differs = |file: &GeneratedFile| base.texts.get(&file.path) != Some(&file.text);
        made.filter(differs).map(|file| (file.path, file.text)).collect()
    }

    fn compile_changed(
        &mut self,
        changed: &BTreeMap<String, String>,
        probe: Probe,
    ) -> Result<Result<Classes, Vec<Diagnostic>>, BuildError> {
        let mut classes = self.bases[&probe].classes.clone();
        if changed.is_empty() {
            return Ok(Ok(classes));
        }
        self.built += 1;
        let folder = self.folder.path().join(format!("variant-{}", self.built));
        let base = self.bases[&probe].folder.clone();
        let output = folder.join("classes");
        let answer = self.compile(&folder, changed, &[base], &output)?;
        let answer = match answer {
            Ok(()) => {
                classes.extend(jar::read_folder(&output)?);
                Ok(classes)
            }
            Err(errors) => Err(relative_to(&folder.join("src"), errors)),
        };
        std::fs::remove_dir_all(&folder).map_err(BuildError::io(&folder))?;
        Ok(answer)
    }

    pub(super) fn compile(
        &mut self,
        folder: &Path,
        texts: &BTreeMap<String, String>,
        classpath: &[PathBuf],
        output: &Path,
    ) -> Result<Result<(), Vec<Diagnostic>>, BuildError> {
        let bytes = texts.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes()));
        let sources = jar::write_folder(&folder.join("src"), &bytes.collect())?;
        let libraries = self.application.sources.libraries.iter();
        let request = CompileRequest {
            sources,
            classpath: classpath.iter().chain(libraries).cloned().collect(),
            release: Some(self.release),
            output: output.to_path_buf(),
        };
        Ok(self.compiler.compile(&request)?)
    }

    /// Takes the blocks that stand where javac complained off the list. Where none
    /// stands on the very line, all of the file's are.
    fn keep_refused(
        &self,
        errors: &[Diagnostic],
        removed: &mut BTreeSet<BlockId>,
        kept: &mut Vec<(BlockId, String)>,
    ) {
        for error in errors {
            let path = error.file.to_string_lossy();
            let in_file = |id: &BlockId| self.entry(*id).file == path;
            let at_line = |id: &BlockId| {
                let entry = self.entry(*id);
                (entry.start_line..=entry.end_line).contains(&error.line)
            };
            let in_file: Vec<BlockId> = removed.iter().copied().filter(in_file).collect();
            let at_line: Vec<BlockId> = in_file.iter().copied().filter(at_line).collect();
            let blamed = if at_line.is_empty() { in_file } else { at_line };
            for id in blamed {
                removed.remove(&id);
                kept.push((id, format!("line {}: {}", error.line, error.message)));
            }
        }
    }

    /// The blocks of the methods in which javac complained about probes.
    pub(super) fn probed_blocks_at(
        &self,
        errors: &[Diagnostic],
        folder: &Path,
    ) -> BTreeSet<BlockId> {
        let errors = relative_to(&folder.join("src"), errors.to_vec());
        let blocks = &self.application.dictionary.blocks;
        let methods: BTreeSet<(&str, &str)> = errors
            .iter()
            .flat_map(|error| {
                let path = error.file.to_string_lossy().into_owned();
                let line = error.line;
                blocks
                    .iter()
                    .filter(move |b| b.file == path && (b.start_line..=b.end_line).contains(&line))
            })
            .map(|block| (block.class.as_str(), block.method.as_str()))
            .collect();
        let named = |block: &&crate::operations::BlockEntry| {
            methods.contains(&(block.class.as_str(), block.method.as_str()))
        };
        blocks.iter().filter(named).map(|block| block.id).collect()
    }

    fn entry(&self, id: BlockId) -> &crate::operations::BlockEntry {
        &self.application.dictionary.blocks[id.0 as usize]
    }
}

fn relative_to(folder: &Path, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let strip = |error: Diagnostic| {
        let file = error.file.strip_prefix(folder).map(Path::to_path_buf).unwrap_or(error.file);
        Diagnostic { file, ..error }
    };
    errors.into_iter().map(strip).collect()
}

//! Variants: the application without a set of blocks, with or without probes, as compiled classes.
//! Only files that a removal changes are compiled again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::blocks::{BlockId, FileBlocks};
use crate::finding::Finding;
use crate::instrument::{self, GeneratedFile, InstrumentOptions, InstrumentedSources, Probe};
use crate::private_files::TemporaryFolder;
use crate::toolchain::compiler::CompileRequest;
use crate::toolchain::{Compiler, Diagnostic, Jdk, ToolchainError, jar};

use super::switched_classes::SwitchedClasses;
use super::{AnalysedApplication, BuildError, refused_methods};

/// Class files of a variant, with the removed blocks and those that javac refused to compile
/// without.
#[derive(Debug, Clone)]
pub struct BuiltVariant {
    /// Class files by entry name.
    pub classes: BTreeMap<String, Vec<u8>>,
    /// Blocks whose statements were removed.
    pub removed: BTreeSet<BlockId>,
    /// Blocks that were kept because javac refused their removal, with javac's message.
    pub kept: Vec<(BlockId, String)>,
}

/// Builder of the variants of one application.
pub struct VariantBuilder<'a> {
    pub(super) application: &'a AnalysedApplication,
    pub(super) blocks: Vec<FileBlocks>,
    release: Option<u32>,
    parameters: bool,
    without_assertions: bool,
    without_watched_loops: bool,
    jdk: Jdk,
    pub(super) folder: TemporaryFolder,
    pub(super) bases: BTreeMap<Probe, BaseBuild>,
    pub(super) switched: Option<SwitchedClasses<'a>>,
    built: u32,
}

/// Class files by entry name.
pub type Classes = BTreeMap<String, Vec<u8>>;

/// Build of the unremoved application with one probe.
pub(super) struct BaseBuild {
    /// Texts of all files by path, the probe's runtime included.
    texts: BTreeMap<String, String>,
    /// Folder of the classes.
    folder: PathBuf,
    pub(super) classes: Classes,
    /// Blocks without a probe, because their file did not compile with it.
    pub(super) skip: BTreeSet<BlockId>,
    probed: Vec<bool>,
    findings: Vec<Finding>,
}

/// Number of further compilations, with fewer changed blocks, after javac refused one.
const MOST_REPAIRS: u32 = 12;

/// Number of further compilations with fewer probes: javac reports the methods of one class at a
/// time.
const MOST_PROBE_REPAIRS: u32 = 500;
/// Java releases to try where the scenario's is too old: the first with modules (and factories of
/// collections), then those with long-term support.
const RELEASES: [u32; 5] = [9, 11, 17, 21, 25];

impl BuiltVariant {
    /// Entries of the variant's archive, name -> bytes, with those of the libraries to pack.
    ///
    /// # Errors
    /// A library that can't be read.
    pub fn entries(&self, libraries: &[PathBuf]) -> Result<Classes, ToolchainError> {
        add_libraries(&self.classes, libraries)
    }
}

/// Returns the classes together with the class files and resources of the libraries (jars or
/// folders).
pub(crate) fn add_libraries(
    classes: &Classes,
    libraries: &[PathBuf],
) -> Result<Classes, ToolchainError> {
    let mut entries = classes.clone();
    for library in libraries {
        let of_library = match library.is_dir() {
            true => jar::read_folder(library)?,
            false => jar::library_entries(library)?,
        };
        jar::add_entries(&mut entries, of_library);
    }
    Ok(entries)
}

impl<'a> VariantBuilder<'a> {
    /// A builder for a Java release, or the JDK's own. Compiles nothing yet.
    pub fn new(
        application: &'a AnalysedApplication,
        jdk: &Jdk,
        release: Option<u32>,
    ) -> Result<VariantBuilder<'a>, BuildError> {
        application.sources.check_encodings()?;
        let folder =
            TemporaryFolder::new("variant").map_err(BuildError::io(std::env::temp_dir()))?;
        Ok(VariantBuilder {
            application,
            blocks: application.blocks(),
            release,
            parameters: false,
            without_assertions: false,
            without_watched_loops: false,
            jdk: jdk.clone(),
            folder,
            bases: BTreeMap::new(),
            switched: None,
            built: 0,
        })
    }

    /// The JDK whose javac compiles.
    pub fn jdk(&self) -> &Jdk {
        &self.jdk
    }

    /// Keeps the names of parameters in the classes, for programs that look them up.
    #[must_use]
    pub fn with_parameters(self) -> VariantBuilder<'a> {
        VariantBuilder { parameters: true, ..self }
    }

    /// Leaves `assert` statements out of all builds.
    #[must_use]
    pub fn without_assertions(self) -> VariantBuilder<'a> {
        VariantBuilder { without_assertions: true, ..self }
    }

    /// Leaves loops unwatched in all builds: the JVM's own exceptions then keep their messages as
    /// long as without probes.
    #[must_use]
    pub fn without_watched_loops(self) -> VariantBuilder<'a> {
        VariantBuilder { without_watched_loops: true, ..self }
    }

    /// Instrumentation options of a build with this probe, without removals.
    pub(super) fn instrument_options(
        &self,
        probe: Probe,
        skip: BTreeSet<BlockId>,
    ) -> InstrumentOptions {
        InstrumentOptions {
            probe,
            skip,
            without_assertions: self.without_assertions,
            without_watched_loops: self.without_watched_loops,
            ..InstrumentOptions::default()
        }
    }

    /// Builds the variant without `removed`, with `probe`.
    pub fn build(
        &mut self,
        removed: &BTreeSet<BlockId>,
        probe: Probe,
    ) -> Result<BuiltVariant, BuildError> {
        self.prepare_base(probe)?;
        let mut removed = removed.clone();
        let mut kept = Vec::new();
        for _ in 0..MOST_REPAIRS {
            let changed = self.changed_texts(&removed, probe);
            match self.compile_changed(&changed, probe)? {
                Ok(classes) => return Ok(BuiltVariant { classes, removed, kept }),
                Err(errors) => self.keep_refused(&errors, &mut removed, &mut kept),
            }
        }
        Ok(BuiltVariant {
            classes: self.bases[&probe].classes.clone(),
            removed: BTreeSet::new(),
            kept,
        })
    }

    /// The application whose variants are built.
    pub fn application(&self) -> &'a AnalysedApplication {
        self.application
    }

    /// By block id, whether the probe counts the block in the unremoved application; the executions
    /// of other blocks are unknown. Empty before the first build with the probe.
    pub fn probed_blocks(&self, probe: Probe) -> &[bool] {
        self.bases.get(&probe).map_or(&[], |base| &base.probed)
    }

    /// Findings about parts of the unremoved application that the probe can't instrument.
    pub fn findings(&self, probe: Probe) -> &[Finding] {
        self.bases.get(&probe).map_or(&[], |base| &base.findings)
    }

    pub(super) fn prepare_base(&mut self, probe: Probe) -> Result<(), BuildError> {
        if self.bases.contains_key(&probe) {
            return Ok(());
        }
        let folder = self.folder.path().join(format!("base-{probe:?}"));
        let mut skip = BTreeSet::new();
        let mut refused = Vec::new();
        for _ in 0..MOST_PROBE_REPAIRS {
            let options = self.instrument_options(probe, skip.clone());
            let (texts, made) = self.instrumented_texts(&options);
            let output = folder.join("classes");
            let compiled = match self.compile(&folder, &texts, &[], &output) {
                Err(BuildError::Toolchain(ToolchainError::DeepSources))
                    if probe != Probe::Plain =>
                {
                    let deepest = refused_methods::deepest_blocks(
                        &self.application.files,
                        &self.blocks,
                        &skip,
                    );
                    if deepest.is_empty() {
                        return Err(ToolchainError::DeepSources.into());
                    }
                    skip.extend(deepest);
                    continue;
                }
                other => other?,
            };
            match compiled {
                Ok(()) => {
                    let classes = self.with_resources(jar::read_folder(&output)?);
                    let findings = made.findings;
                    let probed = made.probed;
                    let base = BaseBuild { texts, folder: output, classes, skip, probed, findings };
                    self.bases.insert(probe, base);
                    return Ok(());
                }
                Err(errors) => {
                    refused = relative_to(&folder.join("src"), errors);
                    let blamed = self.blocks_to_skip(&refused, &skip);
                    if probe == Probe::Plain || blamed.iter().all(|id| skip.contains(id)) {
                        break;
                    }
                    skip.extend(blamed);
                }
            }
        }
        Err(self.refusal_error(probe, &refused)?)
    }

    /// The error of an application that does not compile with a probe. Usually it doesn't compile
    /// without one either, and the error then refers to its own text.
    fn refusal_error(
        &mut self,
        probe: Probe,
        errors: &[Diagnostic],
    ) -> Result<BuildError, BuildError> {
        let sources = &self.application.sources;
        if probe != Probe::Plain {
            self.prepare_base(Probe::Plain)?;
            return Ok(BuildError::refused("instrumented application", errors, sources, None));
        }
        let release = self.release_that_compiles(errors)?;
        Ok(BuildError::refused("application", errors, sources, release))
    }

    /// The lowest Java release above the present one with which the application compiles, among the
    /// one in javac's message and those with long-term support.
    fn release_that_compiles(&mut self, errors: &[Diagnostic]) -> Result<Option<u32>, BuildError> {
        let Some(present) = self.release else {
            return Ok(None); // The JDK's own is the newest there is.
        };
        let named = errors.iter().filter_map(|error| named_release(&error.message));
        let named: BTreeSet<u32> = named.chain(RELEASES).filter(|n| *n > present).collect();
        let (texts, _) =
            self.instrumented_texts(&self.instrument_options(Probe::Plain, BTreeSet::new()));
        let folder = self.folder.path().join("releases");
        let mut found = None;
        for release in named {
            self.release = Some(release);
            match self.compile(&folder, &texts, &[], &folder.join(release.to_string())) {
                Ok(Ok(())) => {
                    found = Some(release);
                    break;
                }
                Ok(Err(_)) => {}
                // The JDK is older than that.
                Err(BuildError::Toolchain(ToolchainError::JavacOptions { .. })) => break,
                Err(error) => return Err(error),
            }
        }
        self.release = Some(present);
        Ok(found)
    }

    /// The classes together with the resources of the source jars.
    pub(super) fn with_resources(&self, mut classes: Classes) -> Classes {
        jar::add_entries(&mut classes, self.application.sources.resources.clone());
        classes
    }

    /// The instrumented texts of all files of the application, and the files of the probes'
    /// runtime.
    pub(super) fn instrumented_texts(
        &self,
        options: &InstrumentOptions,
    ) -> (BTreeMap<String, String>, InstrumentedSources) {
        let mut made = instrument::instrument(&self.application.files, &self.blocks, options);
        let plain = self.application.sources.files.iter().filter(|file| !file.analyse);
        let plain = plain.map(|file| (file.path.clone(), file.text.clone()));
        let generated = std::mem::take(&mut made.files).into_iter();
        let generated = generated.chain(made.runtime.take()).chain(made.switch_file.take());
        let module = self.application.sources.javac.module.iter();
        let module = module.map(|module| (module.path.clone(), module.text.clone()));
        let generated = generated.map(|file| (file.path, file.text));
        (generated.chain(plain).chain(module).collect(), made)
    }

    /// The texts of a variant that differ from the base build's.
    fn changed_texts(&self, removed: &BTreeSet<BlockId>, probe: Probe) -> BTreeMap<String, String> {
        let base = &self.bases[&probe];
        let options = InstrumentOptions {
            removed: removed.clone(),
            ..self.instrument_options(probe, base.skip.clone())
        };
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
        let javac = &self.application.sources.javac;
        let libraries = javac.beside_modules(self.application.sources.class_path());
        let request = CompileRequest {
            sources,
            classpath: [classpath, &libraries].concat(),
            release: self.release,
            parameters: self.parameters,
            module_path: javac.module_path.clone(),
            preview: javac.preview,
            processing: javac.processing(),
            options: javac.options.clone(),
            output: output.to_path_buf(),
        };
        Ok(Compiler::start(&self.jdk)?.compile(&request)?)
    }

    /// Takes the blocks at javac's errors out of the removal. Where none is on the line of an
    /// error, all blocks of its file are taken out.
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

    /// The blocks to build without a probe after javac's errors: those of the methods with errors
    /// or, if these have no probes any more, of their files.
    fn blocks_to_skip(&self, errors: &[Diagnostic], skip: &BTreeSet<BlockId>) -> BTreeSet<BlockId> {
        let blamed = self.probed_blocks_at(errors);
        if blamed.iter().any(|id| !skip.contains(id)) {
            return blamed;
        }
        let files: BTreeSet<_> = errors.iter().map(|e| e.file.to_string_lossy()).collect();
        let blocks = &self.application.dictionary.blocks;
        let in_files = blocks.iter().filter(|block| files.contains(block.file.as_str()));
        in_files.map(|block| block.id).collect()
    }

    /// The blocks of the methods in which javac reported errors about probes.
    pub(super) fn probed_blocks_at(&self, errors: &[Diagnostic]) -> BTreeSet<BlockId> {
        let blocks = &self.application.dictionary.blocks;
        let at_error = errors.iter().flat_map(|error| {
            let path = error.file.to_string_lossy().into_owned();
            let line = error.line;
            let at_line = blocks
                .iter()
                .filter(move |b| b.file == path && (b.start_line..=b.end_line).contains(&line));
            // That a method is too large is said where its declaration begins.
            let declared =
                refused_methods::entry_block_at(&self.application.files, &self.blocks, error);
            at_line.map(|block| block.id).chain(declared)
        });
        let at_error = at_error.map(|id| &blocks[id.0 as usize]);
        let methods: BTreeSet<(&str, &str)> =
            at_error.map(|block| (block.class.as_str(), block.method.as_str())).collect();
        let named = |block: &&crate::operations::BlockEntry| {
            methods.contains(&(block.class.as_str(), block.method.as_str()))
        };
        blocks.iter().filter(named).map(|block| block.id).collect()
    }

    fn entry(&self, id: BlockId) -> &crate::operations::BlockEntry {
        &self.application.dictionary.blocks[id.0 as usize]
    }
}

/// The Java release in javac's message (`... (use -source 10 or higher to enable ...)`).
fn named_release(message: &str) -> Option<u32> {
    let (_, rest) = message.split_once("use -source ")?;
    rest.split_whitespace().next()?.parse().ok()
}

pub(super) fn relative_to(folder: &Path, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let strip = |error: Diagnostic| {
        let file = error.file.strip_prefix(folder).map(Path::to_path_buf).unwrap_or(error.file);
        Diagnostic { file, ..error }
    };
    errors.into_iter().map(strip).collect()
}

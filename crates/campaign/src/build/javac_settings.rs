//! How a program is compiled and run beside its release of Java, as the user's own build does it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::private_files::TemporaryFolder;
use crate::toolchain::compiler::AnnotationProcessing;

use super::module_info::ModuleInfo;

/// Options of javac and of the JVM, and what follows from them.
#[derive(Debug, Clone, Default)]
pub struct JavacSettings {
    /// Whether features that are previews are on, in javac and in the JVM.
    pub preview: bool,
    /// Options of javac as they are: `-Akey=value`, `--add-exports`.
    pub options: Vec<String>,
    /// Jars and folders with annotation processors; empty where none run.
    pub processor_path: Vec<PathBuf>,
    /// Of these, the processors that write into classes: they run whenever sources are compiled.
    pub class_writers: Vec<String>,
    /// The module that the sources are, where they are compiled and run as one.
    pub module: Option<ModuleInfo>,
    /// Libraries that are modules then.
    pub module_path: Vec<PathBuf>,
    /// The unchanged program, compiled with all annotation processors.
    pub compiled: Option<Arc<CompiledProgram>>,
}

/// A folder with the classes of a program, deleted with the last who works with it.
#[derive(Debug)]
pub struct CompiledProgram {
    folder: TemporaryFolder,
}

/// Below its folder.
const CLASSES: &str = "classes";

impl CompiledProgram {
    /// In a folder that has its classes in the place of [`Self::classes`].
    pub(super) fn new(folder: TemporaryFolder) -> Self {
        Self { folder }
    }

    /// The folder of the classes.
    pub fn classes(&self) -> PathBuf {
        self.folder.path().join(CLASSES)
    }
}

impl JavacSettings {
    /// Which processors run when sources are compiled that have all generated ones among them.
    pub(super) fn processing(&self) -> AnnotationProcessing {
        if self.class_writers.is_empty() {
            return AnnotationProcessing::Off;
        }
        let (path, names) = (self.processor_path.clone(), self.class_writers.clone());
        AnnotationProcessing::Named { path, names }
    }

    /// Options of a JVM that runs the program.
    pub fn jvm_options(&self) -> impl Iterator<Item = String> {
        self.preview.then(|| "--enable-preview".to_owned()).into_iter()
    }

    /// What of a class path stays there, and is no module.
    pub fn beside_modules(&self, class_path: Vec<PathBuf>) -> Vec<PathBuf> {
        let is_other = |path: &PathBuf| !self.module_path.contains(path);
        class_path.into_iter().filter(is_other).collect()
    }
}

//! Compiler and run-time settings of a program in addition to its Java release, as in the user's
//! own build.

use std::path::PathBuf;
use std::sync::Arc;

use crate::private_files::TemporaryFolder;
use crate::toolchain::compiler::AnnotationProcessing;

use super::module_info::ModuleInfo;

/// Options of javac and of the JVM, annotation processors and module settings.
#[derive(Debug, Clone, Default)]
pub struct JavacSettings {
    /// Whether preview features are enabled, in javac and in the JVM.
    pub preview: bool,
    /// Further javac options: `-Akey=value`, `--add-exports`.
    pub options: Vec<String>,
    /// Jars and folders with annotation processors; empty for none.
    pub processor_path: Vec<PathBuf>,
    /// Names of the processors that change classes: they run in every compilation.
    pub class_writers: Vec<String>,
    /// The module that the sources form, if they are compiled and run as one.
    pub module: Option<ModuleInfo>,
    /// Libraries that are modules in that case.
    pub module_path: Vec<PathBuf>,
    /// The unchanged program, compiled with all annotation processors.
    pub compiled: Option<Arc<CompiledProgram>>,
}

/// Folder with the classes of a program, deleted with its last user.
#[derive(Debug)]
pub struct CompiledProgram {
    folder: TemporaryFolder,
}

/// Name of the folder with the classes.
const CLASSES: &str = "classes";

impl CompiledProgram {
    /// Wraps a folder that has classes at [`Self::classes`].
    pub(super) fn new(folder: TemporaryFolder) -> Self {
        Self { folder }
    }

    /// Path of the folder with the classes.
    pub fn classes(&self) -> PathBuf {
        self.folder.path().join(CLASSES)
    }
}

impl JavacSettings {
    /// The processors to run when sources that include all generated ones are compiled.
    pub(super) fn processing(&self) -> AnnotationProcessing {
        if self.class_writers.is_empty() {
            return AnnotationProcessing::Off;
        }
        let (path, names) = (self.processor_path.clone(), self.class_writers.clone());
        AnnotationProcessing::Named { path, names }
    }

    /// JVM options for running the program.
    pub fn jvm_options(&self) -> impl Iterator<Item = String> {
        self.preview.then(|| "--enable-preview".to_owned()).into_iter()
    }

    /// The entries of a class path that are no modules.
    pub fn beside_modules(&self, class_path: Vec<PathBuf>) -> Vec<PathBuf> {
        let is_other = |path: &PathBuf| !self.module_path.contains(path);
        class_path.into_iter().filter(is_other).collect()
    }
}

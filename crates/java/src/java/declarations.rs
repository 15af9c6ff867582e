//! The files of a program and the names of their classes: the first thing that is known of
//! them.

use std::sync::Arc;
#[cfg(test)]
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::class::ClassInfo;
use super::declare::{ClassDecl, FileUnit};
use super::read_set::ReadSet;
use super::syntax_tree::SyntaxTree;
use super::types::Name;
use super::{ClassPath, SourceFile};
use crate::java::fast::Map;

/// The files, their classes by name, and the class path.
pub(crate) struct Declarations<'w> {
    files: Vec<FileUnit<'w>>,
    class_path: &'w ClassPath,
    /// Source classes: file and index in [`FileUnit::classes`].
    sites: Map<Name, (usize, usize)>,
}

/// Where a source class is declared.
#[derive(Clone, Copy)]
pub(crate) struct DeclarationSite<'w> {
    pub file: &'w FileUnit<'w>,
    /// The file's index.
    pub number: usize,
    pub class: &'w ClassDecl,
}

impl<'w> DeclarationSite<'w> {
    /// The declaration around.
    pub fn outer(self) -> Option<&'w ClassDecl> {
        self.class.outer.map(|outer| &self.file.classes[outer])
    }
}

impl<'w> Declarations<'w> {
    /// Of `files`, whose pruned trees are `trees`.
    pub fn of(
        files: &'w [SourceFile],
        trees: Vec<SyntaxTree>,
        class_path: &'w ClassPath,
    ) -> Declarations<'w> {
        let pairs = files.par_iter().zip(trees);
        let files: Vec<FileUnit<'w>> = pairs.map(|(file, tree)| FileUnit::of(file, tree)).collect();
        let mut sites = Map::default();
        for (file, unit) in files.iter().enumerate() {
            for (index, class) in unit.classes.iter().enumerate() {
                sites.entry(class.name.clone()).or_insert((file, index));
            }
        }
        Declarations { files, class_path, sites }
    }

    /// Puts the whole trees of files, by their indices, into the place of their surfaces:
    /// nothing changes for other files. The indices.
    pub fn complete(&mut self, trees: Vec<(usize, SyntaxTree)>) -> Vec<usize> {
        let mut numbers = Vec::with_capacity(trees.len());
        for (number, tree) in trees {
            self.files[number] = FileUnit::of(self.files[number].source, tree);
            numbers.push(number);
        }
        numbers
    }

    /// All files.
    pub fn files(&self) -> &[FileUnit<'w>] {
        &self.files
    }

    /// Drops the trees on all cores.
    pub(crate) fn release_memory(self) {
        self.files.into_par_iter().for_each(drop);
    }

    /// The Java release of the JDK on the class path.
    pub fn release(&self) -> u16 {
        self.class_path.release()
    }

    /// The names of the source classes, in no order.
    pub fn names(&self) -> impl ParallelIterator<Item = &Name> {
        self.sites.par_iter().map(|(name, _)| name)
    }

    /// Whether the sources declare the class.
    pub fn has(&self, class: &str) -> bool {
        self.sites.contains_key(class)
    }

    /// Whether the file is where the class is taken from.
    pub(crate) fn is_from(&self, number: usize, class: &str) -> bool {
        self.sites.get(class).is_some_and(|(file, _)| *file == number)
    }

    /// Where a source class is declared.
    pub fn site(&self, class: &str, asked: &ReadSet) -> Option<DeclarationSite<'_>> {
        #[cfg(test)]
        self.note_lookup();
        asked.note(class);
        self.untracked_site(class)
    }

    /// Where a source class is declared, for those who keep no account of what they asked.
    pub(crate) fn untracked_site(&self, class: &str) -> Option<DeclarationSite<'_>> {
        let (number, index) = *self.sites.get(class)?;
        let file = &self.files[number];
        Some(DeclarationSite { file, number, class: &file.classes[index] })
    }

    /// What the class file of a source class says, where the program was compiled with what its
    /// annotation processors write into classes.
    pub fn compiled(&self, class: &str) -> Option<Arc<ClassInfo>> {
        self.class_path.compiled(class)
    }

    /// The packages that a module of the class path exports to all.
    pub(crate) fn exported_packages(&self, module: &str) -> Vec<String> {
        self.class_path.exported_packages(module)
    }

    /// A class that the sources do not declare.
    pub fn outside(&self, class: &str, asked: &ReadSet) -> Option<Arc<ClassInfo>> {
        asked.note(class);
        self.class_path.find(class)
    }

    /// Counts the look-ups of classes, which grow as the work does.
    #[cfg(test)]
    pub(crate) fn note_lookup(&self) {
        self.class_path.lookups.fetch_add(1, Ordering::Relaxed);
    }
}

//! Files of a program and the names of their classes, the first step of resolving it.

use std::sync::Arc;
#[cfg(test)]
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::class::ClassInfo;
use super::file_unit::{ClassDecl, FileUnit};
use super::read_set::ReadSet;
use super::syntax_tree::SyntaxTree;
use super::types::Name;
use super::{ClassPath, SourceFile};
use crate::java::fast_hash::Map;

/// Files of a program, their classes by name, and the class path.
pub(crate) struct Declarations<'w> {
    files: Vec<FileUnit<'w>>,
    class_path: &'w ClassPath,
    /// Position of each source class: file and index in [`FileUnit::classes`].
    sites: Map<Name, (usize, usize)>,
}

/// Declaration of a source class, with its file.
#[derive(Clone, Copy)]
pub(crate) struct DeclarationSite<'w> {
    pub file: &'w FileUnit<'w>,
    /// The file's index.
    pub number: usize,
    pub class: &'w ClassDecl,
}

impl<'w> DeclarationSite<'w> {
    /// Returns the enclosing class's declaration.
    pub fn outer(self) -> Option<&'w ClassDecl> {
        self.class.outer.map(|outer| &self.file.classes[outer])
    }
}

impl<'w> Declarations<'w> {
    /// Collects the declarations of `files`, whose pruned trees are `trees`.
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

    /// Replaces the surfaces of files, by index, by their whole trees: nothing changes for other
    /// files. Returns the indices.
    pub fn replace_stubs(&mut self, trees: Vec<(usize, SyntaxTree)>) -> Vec<usize> {
        let mut numbers = Vec::with_capacity(trees.len());
        for (number, tree) in trees {
            self.files[number] = FileUnit::of(self.files[number].source, tree);
            numbers.push(number);
        }
        numbers
    }

    /// Returns all files, in order.
    pub fn files(&self) -> &[FileUnit<'w>] {
        &self.files
    }

    /// Drops the trees on all cores.
    pub(crate) fn release_memory(self) {
        self.files.into_par_iter().for_each(drop);
    }

    /// Returns the Java release of the JDK on the class path.
    pub fn release(&self) -> u16 {
        self.class_path.release()
    }

    /// Iterates over the names of the source classes, in no order.
    pub fn names(&self) -> impl ParallelIterator<Item = &Name> {
        self.sites.par_iter().map(|(name, _)| name)
    }

    /// Whether the sources declare the class.
    pub fn has(&self, class: &str) -> bool {
        self.sites.contains_key(class)
    }

    /// Whether the class is taken from the file with this index.
    pub(crate) fn is_from(&self, number: usize, class: &str) -> bool {
        self.sites.get(class).is_some_and(|(file, _)| *file == number)
    }

    /// Finds the declaration of a source class; notes the look-up in `asked`.
    pub fn site(&self, class: &str, asked: &ReadSet) -> Option<DeclarationSite<'_>> {
        #[cfg(test)]
        self.note_lookup();
        asked.note(class);
        self.untracked_site(class)
    }

    /// Finds the declaration of a source class without noting the look-up.
    pub(crate) fn untracked_site(&self, class: &str) -> Option<DeclarationSite<'_>> {
        let (number, index) = *self.sites.get(class)?;
        let file = &self.files[number];
        Some(DeclarationSite { file, number, class: &file.classes[index] })
    }

    /// Returns a source class from its class file, where the program was compiled with its
    /// annotation processors.
    pub fn compiled_class(&self, class: &str) -> Option<Arc<ClassInfo>> {
        self.class_path.compiled_class(class)
    }

    /// Returns the packages that a module of the class path exports to all.
    pub(crate) fn exported_packages(&self, module: &str) -> Vec<String> {
        self.class_path.exported_packages(module)
    }

    /// Returns a class that the sources do not declare, from the class path; notes the look-up in
    /// `asked`.
    pub fn library_class(&self, class: &str, asked: &ReadSet) -> Option<Arc<ClassInfo>> {
        asked.note(class);
        self.class_path.find(class)
    }

    /// Counts a look-up of a class, for tests of the work per file.
    #[cfg(test)]
    pub(crate) fn note_lookup(&self) {
        self.class_path.lookups.fetch_add(1, Ordering::Relaxed);
    }
}

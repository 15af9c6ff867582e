//! Members of the classes of a program, resolved after declarations and hierarchy; attribution
//! of bodies needs them.

use std::sync::{Arc, RwLock};

use rayon::prelude::*;

use super::class::ClassInfo;
use super::declarations::Declarations;
use super::hierarchy::Hierarchy;
use super::read_set::ReadSet;
use super::source_class::file_classes;
use super::syntax_tree::SyntaxTree;
use super::types::Name;
use crate::java::fast_hash::Map;

/// Classes of the sources with their supertypes and members, and the class path.
pub(crate) struct ClassMembers<'w> {
    pub(super) hierarchy: Hierarchy<'w>,
    /// Classes of the sources, by binary name.
    infos: Map<Name, Arc<ClassInfo>>,
    /// Whether fields are constant variables, as far as evaluated, by class and field.
    constants: RwLock<Map<(Name, Name), bool>>,
}

impl<'w> ClassMembers<'w> {
    /// Resolves the members of all classes of a hierarchy.
    pub fn of(hierarchy: Hierarchy<'w>) -> ClassMembers<'w> {
        let files = hierarchy.declarations.files();
        let classes = files.par_iter().map(|file| file_classes(&hierarchy, file));
        let shared = classes.map(|classes| classes.into_iter().map(Arc::new).collect());
        let found: Vec<Vec<Arc<ClassInfo>>> = shared.collect();
        let count = found.iter().map(Vec::len).sum();
        let mut infos = Map::with_capacity_and_hasher(count, Default::default());
        for info in found.into_iter().flatten() {
            infos.entry(info.name.clone()).or_insert(info);
        }
        ClassMembers { hierarchy, infos, constants: RwLock::default() }
    }

    /// Replaces the surfaces of files, by index, by their whole trees: nothing changes for other
    /// files.
    pub fn replace_stubs(&mut self, trees: Vec<(usize, SyntaxTree)>) {
        let numbers = self.hierarchy.declarations.replace_stubs(trees);
        let hierarchy = &self.hierarchy;
        let declarations = &hierarchy.declarations;
        let classes = |number: usize| {
            let classes = file_classes(hierarchy, &declarations.files()[number]).into_iter();
            classes.filter(|class| declarations.is_from(number, &class.name)).collect::<Vec<_>>()
        };
        let found: Vec<Vec<ClassInfo>> = numbers.into_par_iter().map(classes).collect();
        for class in found.into_iter().flatten() {
            self.infos.insert(class.name.clone(), Arc::new(class));
        }
    }

    /// Returns the declarations of the classes.
    pub fn declarations(&self) -> &Declarations<'w> {
        &self.hierarchy.declarations
    }

    /// Drops all classes on all cores: a class is many small pieces of memory.
    pub(crate) fn release_memory(self) {
        let ClassMembers { hierarchy, infos, .. } = self;
        rayon::join(
            || hierarchy.declarations.release_memory(),
            || infos.into_par_iter().for_each(drop),
        );
    }

    /// Returns a source class with its members; notes the look-up in `asked`.
    pub(crate) fn source_class(&self, class: &str, asked: &ReadSet) -> Option<Arc<ClassInfo>> {
        asked.note(class);
        self.infos.get(class).cloned()
    }

    /// Returns a class of the sources or, if these do not declare it, of the class path; notes the
    /// look-up in `asked`.
    pub fn class(&self, name: &str, asked: &ReadSet) -> Option<Arc<ClassInfo>> {
        match self.declarations().site(name, asked) {
            Some(_) => self.source_class(name, asked),
            None => self.declarations().library_class(name, asked),
        }
    }

    /// Returns whether a field, by class and name, is a constant variable, if already evaluated.
    pub(crate) fn known_constant(&self, key: &(Name, Name), asked: &ReadSet) -> Option<bool> {
        asked.note(&key.0);
        self.constants.read().ok()?.get(key).copied()
    }

    /// Caches whether a field is a constant variable, unless its class is local: local classes of
    /// two files may have the same name.
    pub(crate) fn keep_constant(&self, key: (Name, Name), constant: bool) {
        if self.declarations().has(&key.0)
            && let Ok(mut known) = self.constants.write()
        {
            known.insert(key, constant);
        }
    }
}

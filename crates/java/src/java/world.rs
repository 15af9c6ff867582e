//! All classes that the analysed sources can name: their own and those of the class
//! path. What is asked of them goes through a [`TrackedLookup`], which notes the names.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};

use rayon::prelude::*;

use super::class::ClassInfo;
use super::declare::{ClassDecl, FileUnit, supertype_nodes};
use super::resolver::{Resolver, TypeScope};
use super::source_class::file_classes;
use super::tracked_lookup::{ReadSet, TrackedLookup};
use super::tree::LeanTree;
use super::types::Name;
use super::{ClassPath, SourceFile};
use crate::java::fast::Map;

/// The files and their classes. Built in stages: names, supertypes, members.
pub(crate) struct World<'w> {
    pub files: Vec<FileUnit<'w>>,
    classes: &'w ClassPath,
    /// Source classes: file and index in [`FileUnit::classes`].
    declared: Map<Name, (usize, usize)>,
    /// Direct supertypes of source classes, without type arguments.
    supers: RwLock<Map<Name, Arc<[Name]>>>,
    complete: AtomicBool,
    infos: Map<Name, Arc<ClassInfo>>,
    has_members: bool,
    /// Constant variables found out so far, by class and field.
    constants: RwLock<Map<(Name, Name), bool>>,
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

/// Deepest hierarchy that is followed.
const DEPTH_MAX: u32 = 64;

impl<'w> World<'w> {
    /// The names of all classes of `files`, whose lean trees are `trees`; nothing is
    /// resolved yet.
    pub fn declare(
        files: &'w [SourceFile],
        trees: Vec<LeanTree>,
        classes: &'w ClassPath,
    ) -> World<'w> {
        let pairs = files.par_iter().zip(trees);
        let files: Vec<FileUnit<'w>> = pairs.map(|(file, tree)| FileUnit::of(file, tree)).collect();
        let mut declared = Map::default();
        for (file, unit) in files.iter().enumerate() {
            for (index, class) in unit.classes.iter().enumerate() {
                declared.entry(class.name.clone()).or_insert((file, index));
            }
        }
        World {
            files,
            classes,
            declared,
            supers: RwLock::default(),
            complete: AtomicBool::new(false),
            infos: Map::default(),
            has_members: false,
            constants: RwLock::default(),
        }
    }

    /// Resolves the supertypes of all classes.
    pub fn resolve_supertypes(&self) {
        let asked = ReadSet::default();
        for file in &self.files {
            for class in &file.classes {
                self.supers_of(&class.name, 0, &asked);
            }
        }
        self.complete.store(true, Ordering::Release);
    }

    /// A world whose members are known: the same files and names as `self`.
    pub fn with_members(mut self, infos: Map<Name, Arc<ClassInfo>>) -> World<'w> {
        self.infos = infos;
        self.has_members = true;
        self
    }

    /// Puts the whole trees of files, by their indices, into the place of their surfaces:
    /// nothing changes for other files.
    pub fn complete(&mut self, trees: Vec<(usize, LeanTree)>) {
        let mut numbers = Vec::with_capacity(trees.len());
        for (number, tree) in trees {
            self.files[number] = FileUnit::of(self.files[number].source, tree);
            numbers.push(number);
        }
        let world = &*self;
        let classes = |number: usize| {
            let classes = file_classes(world, &world.files[number]).into_iter();
            classes.filter(|class| world.declares(number, &class.name)).collect::<Vec<_>>()
        };
        let found: Vec<Vec<ClassInfo>> = numbers.into_par_iter().map(classes).collect();
        for class in found.into_iter().flatten() {
            self.infos.insert(class.name.clone(), Arc::new(class));
        }
    }

    /// Whether the file is where the class is taken from.
    fn declares(&self, number: usize, class: &str) -> bool {
        self.declared.get(class).is_some_and(|(file, _)| *file == number)
    }

    /// Drops it on all cores: a class is many small pieces of memory.
    pub fn release_memory(self) {
        let World { files, infos, .. } = self;
        rayon::join(
            || files.into_par_iter().for_each(drop),
            || infos.into_par_iter().for_each(drop),
        );
    }

    /// The Java release of the JDK on the class path.
    pub fn release(&self) -> u16 {
        self.classes.release()
    }

    /// Whether all supertypes are resolved.
    pub fn is_complete(&self) -> bool {
        self.complete.load(Ordering::Acquire)
    }

    /// Whether the members of all classes are known.
    pub fn has_members(&self) -> bool {
        self.has_members
    }

    /// The names of the source classes, in no order.
    pub fn names(&self) -> impl ParallelIterator<Item = &Name> {
        self.declared.par_iter().map(|(name, _)| name)
    }

    /// Counts the look-ups of classes, which grow as the work does.
    #[cfg(test)]
    pub fn note_lookup(&self) {
        self.classes.lookups.fetch_add(1, Ordering::Relaxed);
    }

    /// Where a source class is declared.
    pub fn declared(&self, class: &str, asked: &ReadSet) -> Option<DeclarationSite<'_>> {
        #[cfg(test)]
        self.note_lookup();
        asked.note(class);
        let (number, index) = *self.declared.get(class)?;
        let file = &self.files[number];
        Some(DeclarationSite { file, number, class: &file.classes[index] })
    }

    /// The members of a source class.
    pub fn info(&self, class: &str, asked: &ReadSet) -> Option<Arc<ClassInfo>> {
        asked.note(class);
        self.infos.get(class).cloned()
    }

    /// What the class file of a source class says, where the program was compiled with what its
    /// annotation processors write into classes.
    pub fn compiled(&self, class: &str) -> Option<Arc<ClassInfo>> {
        self.classes.compiled(class)
    }

    /// The packages that a module of the class path exports to all.
    pub fn exported_packages(&self, module: &str) -> Vec<String> {
        self.classes.exported_packages(module)
    }

    /// A class that the sources do not declare.
    pub fn outside(&self, class: &str, asked: &ReadSet) -> Option<Arc<ClassInfo>> {
        asked.note(class);
        self.classes.find(class)
    }

    /// What is known of a field that may be a constant variable.
    pub fn known_constant(&self, key: &(Name, Name)) -> Option<bool> {
        self.constants.read().ok()?.get(key).copied()
    }

    /// Remembers whether a field is a constant variable, unless its class is local: those
    /// of two files may have the same name.
    pub fn keep_constant(&self, key: (Name, Name), constant: bool) {
        if self.declared.contains_key(&key.0)
            && let Ok(mut known) = self.constants.write()
        {
            known.insert(key, constant);
        }
    }

    /// Direct supertypes of a source class. While they are being found out (cyclic
    /// code) there are none.
    pub fn supers_of(&self, class: &Name, depth: u32, asked: &ReadSet) -> Arc<[Name]> {
        asked.note(class);
        if let Ok(known) = self.supers.read()
            && let Some(supers) = known.get(class)
        {
            return supers.clone();
        }
        let none: Arc<[Name]> = Arc::new([]);
        let Some((file, index)) = self.declared.get(class).copied() else { return none };
        if depth > DEPTH_MAX || self.is_complete() {
            return none;
        }
        self.set_supers(class, none);
        let supers: Arc<[Name]> = self.find_supers(&self.files[file], index).into();
        self.set_supers(class, supers.clone());
        supers
    }

    fn set_supers(&self, class: &Name, supers: Arc<[Name]>) {
        if let Ok(mut known) = self.supers.write() {
            known.insert(class.clone(), supers);
        }
    }

    fn find_supers(&self, file: &FileUnit<'_>, index: usize) -> Vec<Name> {
        let node = file.classes[index].node;
        let mut resolver = Resolver::new(TrackedLookup::of(self), file);
        resolver.levels = outer_levels(file, index);
        let types = supertype_nodes(file, node);
        types.iter().filter_map(|t| resolver.ty(*t).class_name().cloned()).collect()
    }
}

/// The classes around the class with this index, outermost first.
fn outer_levels(file: &FileUnit<'_>, index: usize) -> Vec<TypeScope> {
    let outer = |index: &usize| file.classes[*index].outer;
    let around = std::iter::successors(file.classes[index].outer, outer);
    let mut levels: Vec<TypeScope> =
        around.map(|index| TypeScope::Class(file.classes[index].name.clone())).collect();
    levels.reverse();
    levels
}

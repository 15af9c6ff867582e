//! All classes that the analysed sources can name: their own and those of the class
//! path.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};

use rayon::prelude::*;

use super::class::{ClassInfo, Visibility};
use super::declare::{ClassDecl, FileUnit, supertype_nodes};
use super::resolver::{Level, Resolver};
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
    pub constants: RwLock<Map<(Name, Name), bool>>,
}

/// Deepest hierarchy that is followed.
const DEPTH_MAX: u32 = 64;

/// Longest qualified name in bytes that is looked up.
const QUALIFIED_MAX: usize = 1024;

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
        for file in &self.files {
            for class in &file.classes {
                self.supers_of(&class.name, 0);
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

    pub fn class(&self, name: &str) -> Option<Arc<ClassInfo>> {
        if self.declared.contains_key(name) {
            return self.infos.get(name).cloned();
        }
        self.classes.find(name)
    }

    /// The file that declares a source class.
    pub fn file_of(&self, class: &str) -> Option<&FileUnit<'w>> {
        self.declared.get(class).map(|(file, _)| &self.files[*file])
    }

    /// The index of the file that declares a source class.
    pub fn file_index_of(&self, class: &str) -> Option<usize> {
        self.declared.get(class).map(|(file, _)| *file)
    }

    /// The declaration of a source class.
    pub fn decl(&self, class: &str) -> Option<&ClassDecl> {
        self.declared.get(class).map(|(file, index)| &self.files[*file].classes[*index])
    }

    /// The declaration around that of an inner source class.
    pub fn around(&self, class: &str) -> Option<&ClassDecl> {
        let (file, index) = self.declared.get(class)?;
        let classes = &self.files[*file].classes;
        let inner = Some(&classes[*index]).filter(|decl| decl.is_inner)?;
        inner.outer.map(|outer| &classes[outer])
    }

    /// `name` as the binary name of a class that is there.
    pub fn existing(&self, name: &str) -> Option<Name> {
        if let Some((name, _)) = self.declared.get_key_value(name) {
            return Some(name.clone());
        }
        self.classes.find(name).map(|c| c.name.clone())
    }

    /// `package.simple` as a class that code of package `from` can see.
    pub fn visible_in(&self, package: &str, simple: &str, from: &str) -> Option<Name> {
        let found = self.existing(&format!("{package}.{simple}"))?;
        let visibility = match self.decl(&found) {
            Some(decl) => decl.visibility,
            None => self.classes.find(&found)?.visibility,
        };
        let is_visible = visibility == Visibility::Open || package == from;
        Some(found).filter(|_| is_visible)
    }

    /// `a.b.C.D` as a class: tries ever shorter packages.
    pub fn class_by_qualified_name(&self, qualified: &str) -> Option<Name> {
        if qualified.len() > QUALIFIED_MAX {
            return None;
        }
        if let Some(found) = self.existing(qualified) {
            return Some(found);
        }
        let (outer, simple) = qualified.rsplit_once('.')?;
        let outer = self.class_by_qualified_name(outer)?;
        self.member_class(&outer, simple)
    }

    /// The member class of `class` with this simple name, inherited ones too.
    pub fn member_class(&self, class: &Name, simple: &str) -> Option<Name> {
        self.member_class_from(class, simple, class, &mut Vec::new())
    }

    fn member_class_from(
        &self,
        class: &Name,
        simple: &str,
        from: &str,
        seen: &mut Vec<Name>,
    ) -> Option<Name> {
        if seen.contains(class) {
            return None;
        }
        seen.push(class.clone());
        if let Some(decl) = self.decl(class) {
            // One that is not inherited hides those above it all the same.
            if let Some(own) = decl.members.get(simple) {
                let is_member = self.decl_visibility(own).is_inherited(class, from);
                return Some(own.clone()).filter(|_| is_member);
            }
            let supers = self.supers_of(class, seen.len() as u32);
            return supers.iter().find_map(|s| self.member_class_from(s, simple, from, seen));
        }
        let info = self.classes.find(class)?;
        if let Some(own) = info.members.get(simple).and_then(|own| self.classes.find(own)) {
            let is_member = own.visibility.is_inherited(class, from);
            return Some(own.name.clone()).filter(|_| is_member);
        }
        let mut supers = info.supertypes().filter_map(|t| t.class_name());
        supers.find_map(|s| self.member_class_from(s, simple, from, seen))
    }

    fn decl_visibility(&self, class: &str) -> Visibility {
        self.decl(class).map_or(Visibility::Open, |d| d.visibility)
    }

    /// Direct supertypes of a source class. While they are being found out (cyclic
    /// code) there are none.
    fn supers_of(&self, class: &Name, depth: u32) -> Arc<[Name]> {
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
        let mut resolver = Resolver::new(self, file);
        resolver.levels = outer_levels(file, index);
        let types = supertype_nodes(file, node);
        types.iter().filter_map(|t| resolver.ty(*t).class_name().cloned()).collect()
    }
}

/// The classes around the class with this index, outermost first.
fn outer_levels(file: &FileUnit<'_>, index: usize) -> Vec<Level> {
    let outer = |index: &usize| file.classes[*index].outer;
    let around = std::iter::successors(file.classes[index].outer, outer);
    let mut levels: Vec<Level> =
        around.map(|index| Level::Class(file.classes[index].name.clone())).collect();
    levels.reverse();
    levels
}

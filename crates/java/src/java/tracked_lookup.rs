//! Look-up of classes by name for the analysis of one file. Every look-up of code in other files
//! is by a class's name, which is noted in a read set.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::class::{ClassInfo, Visibility};
use super::declarations::Declarations;
use super::fast_hash::{Map, Set};
use super::file_unit::{ClassDecl, FileUnit};
use super::hierarchy::Hierarchy;
use super::read_set::ReadSet;
use super::types::{Name, Type};

/// Longest qualified name in bytes that is looked up.
const QUALIFIED_MAX: usize = 1024;

/// Look-up in declarations and hierarchy that notes the names of the classes.
#[derive(Clone)]
pub(crate) struct TrackedLookup<'w> {
    declarations: &'w Declarations<'w>,
    supertypes: Supertypes<'w>,
    asked: Rc<ReadSet>,
    declarers: Rc<RefCell<KnownMemberClasses>>,
}

/// Source of the supertypes of source classes.
#[derive(Clone, Copy)]
enum Supertypes<'w> {
    Unfinished(&'w dyn UnfinishedHierarchy),
    Known(&'w Hierarchy<'w>),
}

/// Class hierarchy while it is being resolved.
pub(crate) trait UnfinishedHierarchy {
    /// Returns the direct supertypes of a source class, looked up at a depth of nested look-ups.
    /// While they are being resolved (cyclic code) there are none.
    fn supertypes_of(&self, class: &Name, depth: u32) -> Arc<[Name]>;
}

/// First class with a member class of a name, by that simple name, then by the class from which
/// the search begins; none if there is none.
type KnownMemberClasses = Map<String, Map<Name, Option<Name>>>;

/// Result of looking for a member class among a class's own declarations.
enum OwnMember {
    /// A member class that the inheriting class inherits.
    Member(Name),
    /// A member class that the inheriting class does not inherit.
    NotInherited,
    None,
}

impl<'w> TrackedLookup<'w> {
    /// Makes a look-up in a resolved hierarchy with an empty read set.
    pub fn of(hierarchy: &'w Hierarchy<'w>) -> TrackedLookup<'w> {
        TrackedLookup::new(&hierarchy.declarations, Supertypes::Known(hierarchy))
    }

    /// Makes a look-up for resolving the hierarchy itself.
    pub(crate) fn of_unfinished(
        declarations: &'w Declarations<'w>,
        hierarchy: &'w dyn UnfinishedHierarchy,
    ) -> TrackedLookup<'w> {
        TrackedLookup::new(declarations, Supertypes::Unfinished(hierarchy))
    }

    fn new(declarations: &'w Declarations<'w>, supertypes: Supertypes<'w>) -> TrackedLookup<'w> {
        TrackedLookup { declarations, supertypes, asked: Rc::default(), declarers: Rc::default() }
    }

    /// Returns the names looked up in it and in its copies.
    pub fn asked(&self) -> &ReadSet {
        &self.asked
    }

    /// Returns the Java release of the JDK on the class path.
    pub fn release(&self) -> u16 {
        self.declarations.release()
    }

    /// Whether the hierarchy is resolved, so that results on supertypes are final.
    pub(crate) fn has_hierarchy(&self) -> bool {
        matches!(self.supertypes, Supertypes::Known(_))
    }

    /// Returns the file that declares a source class.
    pub(crate) fn file_of(&self, class: &str) -> Option<&'w FileUnit<'w>> {
        self.declarations.site(class, &self.asked).map(|declared| declared.file)
    }

    /// Returns the index of the file that declares a source class.
    pub(crate) fn file_index_of(&self, class: &str) -> Option<usize> {
        self.declarations.site(class, &self.asked).map(|declared| declared.number)
    }

    /// Returns the file with this index.
    pub fn file(&self, index: usize) -> &'w FileUnit<'w> {
        &self.declarations.files()[index]
    }

    /// Returns the declaration of a source class.
    pub(crate) fn decl(&self, class: &str) -> Option<&'w ClassDecl> {
        self.declarations.site(class, &self.asked).map(|declared| declared.class)
    }

    /// Returns the declaration around that of an inner source class.
    pub fn outer_decl(&self, class: &str) -> Option<&'w ClassDecl> {
        let declared = self.declarations.site(class, &self.asked)?;
        declared.outer().filter(|_| declared.class.is_inner)
    }

    /// Returns `name` if it is the binary name of an existing class.
    pub fn find_existing(&self, name: &str) -> Option<Name> {
        match self.decl(name) {
            Some(decl) => Some(decl.name.clone()),
            None => self.library_class(name).map(|class| class.name.clone()),
        }
    }

    /// Returns the packages that code which imports a module can access.
    pub(crate) fn exported_packages(&self, module: &str) -> Vec<String> {
        self.declarations.exported_packages(module)
    }

    fn library_class(&self, name: &str) -> Option<Arc<ClassInfo>> {
        self.declarations.library_class(name, &self.asked)
    }

    /// Returns the class `package.simple` if it exists and code of package `from` can access it.
    pub(crate) fn find_visible(&self, package: &str, simple: &str, from: &str) -> Option<Name> {
        let found = self.find_existing(&format!("{package}.{simple}"))?;
        let visibility = match self.decl(&found) {
            Some(decl) => decl.visibility,
            None => self.library_class(&found)?.visibility,
        };
        let is_visible = visibility == Visibility::Open || package == from;
        Some(found).filter(|_| is_visible)
    }

    /// Finds the class of a qualified name `a.b.C.D`, trying ever shorter packages.
    pub(crate) fn class_by_qualified_name(&self, qualified: &str) -> Option<Name> {
        if qualified.len() > QUALIFIED_MAX {
            return None;
        }
        if let Some(found) = self.find_existing(qualified) {
            return Some(found);
        }
        let (outer, simple) = qualified.rsplit_once('.')?;
        let outer = self.class_by_qualified_name(outer)?;
        self.member_class(&outer, simple)
    }

    /// Finds the member class of `class` with this simple name, inherited ones too: the first in a
    /// depth-first walk over the supertypes in their order.
    pub(crate) fn member_class(&self, class: &Name, simple: &str) -> Option<Name> {
        let first = self.first_declarer(class, simple)?;
        match self.own_member_class(&first, simple, class) {
            OwnMember::Member(found) => Some(found),
            // It hides those above it all the same, but not those beside it.
            _ => self.inherited_member_class(class, simple),
        }
    }

    /// Finds the first class, from `class` on, that declares a member class of this name.
    fn first_declarer(&self, class: &Name, simple: &str) -> Option<Name> {
        let mut seen: Set<Name> = Set::default();
        let mut todo = vec![class.clone()];
        // Each is the first supertype of the one before: they have their first declarer in common.
        let mut path: Vec<Name> = Vec::new();
        let mut found = None;
        while let Some(at) = todo.pop() {
            let known = self.known_declarer(&at, simple);
            if known == Some(None) || !seen.insert(at.clone()) {
                path.clear();
                continue;
            }
            found = known.flatten();
            if found.is_none() && !matches!(self.own_member_class(&at, simple, ""), OwnMember::None)
            {
                found = Some(at.clone());
            }
            path.push(at.clone());
            if found.is_some() {
                break;
            }
            let supers = self.supers_in_reverse(&at, seen.len() as u32);
            if supers.is_empty() {
                path.clear();
            }
            todo.extend(supers);
        }
        if self.has_hierarchy() {
            let settled: Vec<Name> =
                if found.is_some() { path } else { seen.into_iter().collect() };
            let mut declarers = self.declarers.borrow_mut();
            let of_name = declarers.entry(simple.to_owned()).or_default();
            of_name.extend(settled.into_iter().map(|class| (class, found.clone())));
        }
        found
    }

    /// Returns the cached first class that declares a member class of this name, if any. All
    /// classes on the way are in the read set then.
    fn known_declarer(&self, class: &Name, simple: &str) -> Option<Option<Name>> {
        self.declarers.borrow().get(simple)?.get(class).cloned()
    }

    fn inherited_member_class(&self, class: &Name, simple: &str) -> Option<Name> {
        let mut seen: Set<Name> = Set::default();
        let mut todo = vec![class.clone()];
        while let Some(at) = todo.pop() {
            if !seen.insert(at.clone()) {
                continue;
            }
            match self.own_member_class(&at, simple, class) {
                OwnMember::Member(found) => return Some(found),
                OwnMember::NotInherited => {}
                OwnMember::None => todo.extend(self.supers_in_reverse(&at, seen.len() as u32)),
            }
        }
        None
    }

    fn own_member_class(&self, class: &Name, simple: &str, from: &str) -> OwnMember {
        let inherited =
            |name: Name, visibility: Visibility| match visibility.is_inherited(class, from) {
                true => OwnMember::Member(name),
                false => OwnMember::NotInherited,
            };
        if let Some(decl) = self.decl(class) {
            let written = || self.declarations.compiled_class(class)?.members.get(simple).cloned();
            let own = decl.members.get(simple).cloned().or_else(written);
            return own
                .as_ref()
                .map_or(OwnMember::None, |own| inherited(own.clone(), self.decl_visibility(own)));
        }
        let Some(info) = self.library_class(class) else { return OwnMember::None };
        let own = info.members.get(simple).and_then(|own| self.library_class(own));
        own.map_or(OwnMember::None, |own| inherited(own.name.clone(), own.visibility))
    }

    /// Returns the direct supertypes of a class, the last first.
    fn supers_in_reverse(&self, class: &Name, depth: u32) -> Vec<Name> {
        if self.decl(class).is_some() {
            return match self.supertypes {
                Supertypes::Known(hierarchy) => reversed(hierarchy.supertypes_of(class)),
                Supertypes::Unfinished(finder) => reversed(&finder.supertypes_of(class, depth)),
            };
        }
        let info = self.library_class(class);
        let supers = info.iter().flat_map(|info| info.supertypes().filter_map(Type::class_name));
        let mut supers: Vec<Name> = supers.cloned().collect();
        supers.reverse();
        supers
    }

    fn decl_visibility(&self, class: &str) -> Visibility {
        self.decl(class).map_or(Visibility::Open, |d| d.visibility)
    }
}

fn reversed(names: &[Name]) -> Vec<Name> {
    names.iter().rev().cloned().collect()
}

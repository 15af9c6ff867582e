//! The classes as the work on one file sees them, by their names. Whatever it finds out about
//! code in other files is an answer to a question with a class's name in it; the names are noted.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::class::{ClassInfo, Visibility};
use super::declarations::Declarations;
use super::declare::{ClassDecl, FileUnit};
use super::fast::{Map, Set};
use super::hierarchy::Hierarchy;
use super::read_set::ReadSet;
use super::types::{Name, Type};

/// Longest qualified name in bytes that is looked up.
const QUALIFIED_MAX: usize = 1024;

/// The declarations and what is above them, and what was asked of both.
#[derive(Clone)]
pub(crate) struct TrackedLookup<'w> {
    declarations: &'w Declarations<'w>,
    supertypes: Supertypes<'w>,
    asked: Rc<ReadSet>,
    declarers: Rc<RefCell<KnownDeclarers>>,
}

/// Where the supertypes of source classes come from.
#[derive(Clone, Copy)]
enum Supertypes<'w> {
    Unfinished(&'w dyn UnfinishedHierarchy),
    Known(&'w Hierarchy<'w>),
}

/// A hierarchy while it is found out.
pub(crate) trait UnfinishedHierarchy {
    /// Direct supertypes of a source class, asked for at a depth of questions within questions.
    /// While they are being found out (cyclic code) there are none.
    fn supertypes_of(&self, class: &Name, depth: u32) -> Arc<[Name]>;
}

/// By simple name, then by class: the first class, from it on, with a member class of that name;
/// none if there is none.
type KnownDeclarers = Map<String, Map<Name, Option<Name>>>;

/// What a class itself declares by a name.
enum OwnMember {
    /// A member class that the class in question inherits.
    Member(Name),
    /// One that it does not inherit.
    NotInherited,
    None,
}

impl<'w> TrackedLookup<'w> {
    /// One of which nothing was asked yet.
    pub fn of(hierarchy: &'w Hierarchy<'w>) -> TrackedLookup<'w> {
        TrackedLookup::new(&hierarchy.declarations, Supertypes::Known(hierarchy))
    }

    /// One for those who find out the hierarchy.
    pub(crate) fn of_unfinished(
        declarations: &'w Declarations<'w>,
        hierarchy: &'w dyn UnfinishedHierarchy,
    ) -> TrackedLookup<'w> {
        TrackedLookup::new(declarations, Supertypes::Unfinished(hierarchy))
    }

    fn new(declarations: &'w Declarations<'w>, supertypes: Supertypes<'w>) -> TrackedLookup<'w> {
        TrackedLookup { declarations, supertypes, asked: Rc::default(), declarers: Rc::default() }
    }

    /// What was asked of it and of its copies.
    pub fn asked(&self) -> &ReadSet {
        &self.asked
    }

    /// The Java release of the JDK on the class path.
    pub fn release(&self) -> u16 {
        self.declarations.release()
    }

    /// Whether what is found out about supertypes stays so.
    pub(crate) fn knows_hierarchy(&self) -> bool {
        matches!(self.supertypes, Supertypes::Known(_))
    }

    /// The file that declares a source class.
    pub(crate) fn file_of(&self, class: &str) -> Option<&'w FileUnit<'w>> {
        self.declarations.site(class, &self.asked).map(|declared| declared.file)
    }

    /// The index of the file that declares a source class.
    pub(crate) fn file_index_of(&self, class: &str) -> Option<usize> {
        self.declarations.site(class, &self.asked).map(|declared| declared.number)
    }

    /// The file with this index.
    pub fn file(&self, index: usize) -> &'w FileUnit<'w> {
        &self.declarations.files()[index]
    }

    /// The declaration of a source class.
    pub(crate) fn decl(&self, class: &str) -> Option<&'w ClassDecl> {
        self.declarations.site(class, &self.asked).map(|declared| declared.class)
    }

    /// The declaration around that of an inner source class.
    pub fn around(&self, class: &str) -> Option<&'w ClassDecl> {
        let declared = self.declarations.site(class, &self.asked)?;
        declared.outer().filter(|_| declared.class.is_inner)
    }

    /// `name` as the binary name of a class that is there.
    pub fn existing(&self, name: &str) -> Option<Name> {
        match self.decl(name) {
            Some(decl) => Some(decl.name.clone()),
            None => self.outside(name).map(|class| class.name.clone()),
        }
    }

    /// The packages that code which imports a module sees by it.
    pub(crate) fn exported_packages(&self, module: &str) -> Vec<String> {
        self.declarations.exported_packages(module)
    }

    fn outside(&self, name: &str) -> Option<Arc<ClassInfo>> {
        self.declarations.outside(name, &self.asked)
    }

    /// `package.simple` as a class that code of package `from` can see.
    pub(crate) fn visible_in(&self, package: &str, simple: &str, from: &str) -> Option<Name> {
        let found = self.existing(&format!("{package}.{simple}"))?;
        let visibility = match self.decl(&found) {
            Some(decl) => decl.visibility,
            None => self.outside(&found)?.visibility,
        };
        let is_visible = visibility == Visibility::Open || package == from;
        Some(found).filter(|_| is_visible)
    }

    /// `a.b.C.D` as a class: tries ever shorter packages.
    pub(crate) fn class_by_qualified_name(&self, qualified: &str) -> Option<Name> {
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

    /// The member class of `class` with this simple name, inherited ones too: the first that is
    /// found when each class is asked before its supertypes, and these in their order.
    pub(crate) fn member_class(&self, class: &Name, simple: &str) -> Option<Name> {
        let first = self.first_declarer(class, simple)?;
        match self.own_member_class(&first, simple, class) {
            OwnMember::Member(found) => Some(found),
            // It hides those above it all the same, but not those beside it.
            _ => self.inherited_member_class(class, simple),
        }
    }

    /// The first class, from `class` on, that declares a member class of this name.
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
        if self.knows_hierarchy() {
            let settled: Vec<Name> =
                if found.is_some() { path } else { seen.into_iter().collect() };
            let mut declarers = self.declarers.borrow_mut();
            let of_name = declarers.entry(simple.to_owned()).or_default();
            of_name.extend(settled.into_iter().map(|class| (class, found.clone())));
        }
        found
    }

    /// The first class that declares a member class of this name, if that is known already. All
    /// classes on the way were asked for then.
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
            let written = || self.declarations.compiled(class)?.members.get(simple).cloned();
            let own = decl.members.get(simple).cloned().or_else(written);
            return own
                .as_ref()
                .map_or(OwnMember::None, |own| inherited(own.clone(), self.decl_visibility(own)));
        }
        let Some(info) = self.outside(class) else { return OwnMember::None };
        let own = info.members.get(simple).and_then(|own| self.outside(own));
        own.map_or(OwnMember::None, |own| inherited(own.name.clone(), own.visibility))
    }

    /// The direct supertypes of a class, the last first.
    fn supers_in_reverse(&self, class: &Name, depth: u32) -> Vec<Name> {
        if self.decl(class).is_some() {
            return match self.supertypes {
                Supertypes::Known(hierarchy) => reversed(hierarchy.supertypes_of(class)),
                Supertypes::Unfinished(finder) => reversed(&finder.supertypes_of(class, depth)),
            };
        }
        let info = self.outside(class);
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

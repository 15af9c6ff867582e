//! Resolution of the class hierarchy. The name of a supertype may be that of a member class which
//! is inherited from another supertype: so the supertypes of a class are resolved at their first
//! look-up.

use std::cell::RefCell;
use std::sync::Arc;

use super::declarations::Declarations;
use super::file_unit::{ClassDecl, FileUnit, supertype_nodes};
use super::hierarchy::{Hierarchy, SupertypeNames};
use super::tracked_lookup::{TrackedLookup, UnfinishedHierarchy};
use super::type_names::{TypeNames, TypeScope};
use super::types::Name;

/// Deepest hierarchy that is followed.
const DEPTH_MAX: u32 = 64;

/// Resolves the supertypes of all classes.
pub(crate) fn find_hierarchy(declarations: Declarations<'_>) -> Hierarchy<'_> {
    let finder = HierarchyFinder { declarations: &declarations, found: RefCell::default() };
    for file in declarations.files() {
        for class in &file.classes {
            finder.supertypes_of(&class.name, 0);
        }
    }
    let found = finder.found.into_inner();
    Hierarchy::new(declarations, found)
}

/// Lazy resolver of supertypes, with those found so far.
struct HierarchyFinder<'d> {
    declarations: &'d Declarations<'d>,
    found: RefCell<SupertypeNames>,
}

impl UnfinishedHierarchy for HierarchyFinder<'_> {
    fn supertypes_of(&self, class: &Name, depth: u32) -> Arc<[Name]> {
        if let Some(known) = self.found.borrow().get(class) {
            return known.clone();
        }
        let none: Arc<[Name]> = Arc::new([]);
        let Some(site) = self.declarations.untracked_site(class) else { return none };
        if depth > DEPTH_MAX {
            return none;
        }
        self.found.borrow_mut().insert(class.clone(), none);
        let supertypes: Arc<[Name]> = self.find(site.file, site.class).into();
        self.found.borrow_mut().insert(class.clone(), supertypes.clone());
        supertypes
    }
}

impl HierarchyFinder<'_> {
    fn find(&self, file: &FileUnit<'_>, class: &ClassDecl) -> Vec<Name> {
        let lookup = TrackedLookup::of_unfinished(self.declarations, self);
        let mut names = TypeNames::new(lookup, file);
        names.levels = outer_levels(file, class);
        let types = supertype_nodes(file, class.node);
        types.iter().filter_map(|t| names.ty(*t).class_name().cloned()).collect()
    }
}

/// Returns the scopes of the classes around a class, outermost first.
fn outer_levels(file: &FileUnit<'_>, class: &ClassDecl) -> Vec<TypeScope> {
    let outer = |index: &usize| file.classes[*index].outer;
    let around = std::iter::successors(class.outer, outer);
    let mut levels: Vec<TypeScope> =
        around.map(|index| TypeScope::Class(file.classes[index].name.clone())).collect();
    levels.reverse();
    levels
}

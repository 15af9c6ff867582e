//! Cached look-ups of classes and their members for the analysis of one file.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::candidates::{Ancestors, CandidateMethod, KnownDeclarers};
use super::class::ClassInfo;
use super::class_members::ClassMembers;
use super::file_unit::FileUnit;
use super::tracked_lookup::TrackedLookup;
use super::type_names::TypeNames;
use super::types::{ClassType, Name, Type};
use crate::java::fast_hash::Map;

/// Resolver of class names, members and supertypes for one file, with a cache.
pub(crate) struct Resolver<'w> {
    classes: &'w ClassMembers<'w>,
    /// Type names of the file.
    pub names: TypeNames<'w>,
    infos: RefCell<Map<Name, Option<Arc<ClassInfo>>>>,
    ancestors: RefCell<Map<Name, Arc<Ancestors>>>,
    /// Number of names in the cached ancestors.
    ancestor_names: Cell<usize>,
    pub(super) declarers: RefCell<KnownDeclarers>,
    /// Interfaces above each class.
    pub(super) interfaces: RefCell<Map<Name, Arc<[Name]>>>,
    ranks: RefCell<Map<Name, u32>>,
    /// Methods by class and method name.
    methods: RefCell<Map<(Name, String), KnownMethods>>,
}

/// Types of a class that were looked up, with their methods of one name.
type KnownMethods = Vec<(ClassType, Vec<CandidateMethod>)>;

/// Most names of ancestors in the cache: in a long chain of classes each has all before it.
const ANCESTOR_NAMES_MAX: usize = 1 << 20;

/// Most types of one class for which the methods of a name are cached.
const METHODS_MAX: usize = 8;

impl<'w> Resolver<'w> {
    /// Makes a resolver for `file` with an empty cache and read set.
    pub fn new(classes: &'w ClassMembers<'w>, file: &'w FileUnit<'w>) -> Resolver<'w> {
        Resolver::with(classes, TrackedLookup::of(&classes.hierarchy), file)
    }

    /// Makes a resolver for another file, whose look-ups are noted in this one's read set.
    pub(crate) fn of_other_file(&self, file: &'w FileUnit<'w>) -> Resolver<'w> {
        Resolver::with(self.classes, self.names.lookup.clone(), file)
    }

    fn with(
        classes: &'w ClassMembers<'w>,
        lookup: TrackedLookup<'w>,
        file: &'w FileUnit<'w>,
    ) -> Resolver<'w> {
        Resolver {
            classes,
            names: TypeNames::new(lookup, file),
            infos: RefCell::default(),
            ancestors: RefCell::default(),
            ancestor_names: Cell::default(),
            declarers: RefCell::default(),
            interfaces: RefCell::default(),
            ranks: RefCell::default(),
            methods: RefCell::default(),
        }
    }

    /// Returns the class with this binary name; `None` if it is not found.
    pub fn class(&self, name: &Name) -> Option<Arc<ClassInfo>> {
        #[cfg(test)]
        self.classes.declarations().note_lookup();
        if let Some(local) = self.names.locals.get(name) {
            return local.info.clone();
        }
        if let Some(known) = self.infos.borrow().get(name) {
            return known.clone();
        }
        let info = self.classes.class(name, self.names.lookup.asked());
        self.infos.borrow_mut().insert(name.clone(), info.clone());
        info
    }

    /// Returns whether a field, by class and name, is a constant variable, if already evaluated.
    pub(super) fn known_constant(&self, key: &(Name, Name)) -> Option<bool> {
        self.classes.known_constant(key, self.names.lookup.asked())
    }

    /// Caches whether a field is a constant variable.
    pub(super) fn keep_constant(&self, key: (Name, Name), constant: bool) {
        self.classes.keep_constant(key, constant);
    }

    pub(super) fn known_ancestors(&self, name: &Name) -> Option<Arc<Ancestors>> {
        self.ancestors.borrow().get(name).cloned()
    }

    pub(super) fn known_rank(&self, name: &Name) -> Option<u32> {
        self.ranks.borrow().get(name).copied()
    }

    /// Caches the rank of a class, unless it is local and still being declared.
    pub(super) fn keep_rank(&self, name: &Name, rank: u32) {
        if self.is_settled(name) {
            self.ranks.borrow_mut().insert(name.clone(), rank);
        }
    }

    pub(super) fn known_methods(&self, ty: &ClassType, name: &str) -> Option<Vec<CandidateMethod>> {
        let key = (ty.name.clone(), name.to_owned());
        let methods = self.methods.borrow();
        let found = methods.get(&key)?.iter().find(|(known, _)| known == ty)?;
        Some(found.1.clone())
    }

    /// Caches the methods `name` of a type, unless it is local.
    pub(super) fn keep_methods(&self, ty: &ClassType, name: &str, found: &[CandidateMethod]) {
        let is_open = ty.args.iter().any(|a| matches!(a, Type::Infer(_)));
        if is_open || self.names.locals.contains_key(&ty.name) {
            return;
        }
        let mut methods = self.methods.borrow_mut();
        let known = methods.entry((ty.name.clone(), name.to_owned())).or_default();
        if known.len() < METHODS_MAX {
            known.push((ty.clone(), found.to_vec()));
        }
    }

    /// Caches the ancestors of a class, unless it is local and still being declared.
    pub(super) fn keep_ancestors(&self, name: &Name, found: &Arc<Ancestors>) {
        if !self.is_settled(name) {
            return;
        }
        let mut ancestors = self.ancestors.borrow_mut();
        let names = self.ancestor_names.get() + found.order.len();
        if names > ANCESTOR_NAMES_MAX {
            ancestors.clear();
        }
        self.ancestor_names.set(if ancestors.is_empty() { found.order.len() } else { names });
        ancestors.insert(name.clone(), found.clone());
    }

    /// Whether results for a class are final: not while it is a local class that is being declared.
    pub(super) fn is_settled(&self, class: &Name) -> bool {
        self.names.locals.get(class).is_none_or(|l| l.info.is_some())
    }
}

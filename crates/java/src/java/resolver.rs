//! What the work on one file finds out about classes and their members, each once.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::class::ClassInfo;
use super::class_members::ClassMembers;
use super::declare::FileUnit;
use super::known::{Ancestors, CandidateMethod, KnownDeclarers};
use super::tracked_lookup::TrackedLookup;
use super::type_names::TypeNames;
use super::types::{ClassType, Name, Type};
use crate::java::fast::Map;

/// Classes, their members and what is above them, as one file sees them.
pub(crate) struct Resolver<'w> {
    classes: &'w ClassMembers<'w>,
    /// The type names of the file.
    pub names: TypeNames<'w>,
    infos: RefCell<Map<Name, Option<Arc<ClassInfo>>>>,
    ancestors: RefCell<Map<Name, Arc<Ancestors>>>,
    /// How many names the ancestors that are remembered have.
    ancestor_names: Cell<usize>,
    pub(super) declarers: RefCell<KnownDeclarers>,
    /// By class: the interfaces above it.
    pub(super) interfaces: RefCell<Map<Name, Arc<[Name]>>>,
    ranks: RefCell<Map<Name, u32>>,
    /// By class and method name.
    methods: RefCell<Map<(Name, String), KnownMethods>>,
}

/// The types of a class that were asked for, and the methods of one name that they have.
type KnownMethods = Vec<(ClassType, Vec<CandidateMethod>)>;

/// So many names of ancestors are remembered: in a long chain of classes each has all before it.
const ANCESTOR_NAMES_MAX: usize = 1 << 20;

/// For how many types of one class the methods of a name are remembered.
const METHODS_MAX: usize = 8;

impl<'w> Resolver<'w> {
    /// One for `file`, of which nothing was asked yet.
    pub fn new(classes: &'w ClassMembers<'w>, file: &'w FileUnit<'w>) -> Resolver<'w> {
        Resolver::with(classes, TrackedLookup::of(&classes.hierarchy), file)
    }

    /// One for another file, whose questions count as those of this one.
    pub fn of_other_file(&self, file: &'w FileUnit<'w>) -> Resolver<'w> {
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

    /// What is known of the class; none if it is not found.
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

    /// What is known of a field that may be a constant variable, by class and name.
    pub(super) fn known_constant(&self, key: &(Name, Name)) -> Option<bool> {
        self.classes.known_constant(key, self.names.lookup.asked())
    }

    /// Remembers whether a field is a constant variable.
    pub(super) fn keep_constant(&self, key: (Name, Name), constant: bool) {
        self.classes.keep_constant(key, constant);
    }

    pub(super) fn known_ancestors(&self, name: &Name) -> Option<Arc<Ancestors>> {
        self.ancestors.borrow().get(name).cloned()
    }

    pub(super) fn known_rank(&self, name: &Name) -> Option<u32> {
        self.ranks.borrow().get(name).copied()
    }

    /// Remembers the rank of a class, unless it is local and still being declared.
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

    /// Remembers the methods `name` of a type, unless it is local.
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

    /// Remembers the ancestors of a class, unless it is local and still being declared.
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

    /// Whether what is found out about a class will stay so: it is not local and still being
    /// declared.
    pub(super) fn is_settled(&self, class: &Name) -> bool {
<<<<<<< ab15850f32d9c6bb8c92e0746fd094d5702e29be
        self.names.locals.get(class).is_none_or(|l| l.info.is_some())
=======
        self.view.has_members() && self.locals.get(class).is_none_or(|l| l.info.is_some())
    }

    /// The type that the syntax at `node` denotes. A class that can't be found is a
    /// class whose name starts with `?.`.
    pub fn ty(&self, node: NodeId) -> Type {
        self.ty_at(node, 0)
    }

    fn ty_at(&self, node: NodeId, depth: u32) -> Type {
        let tree = &self.file.tree;
        if depth > DEPTH_MAX {
            return Type::Unknown;
        }
        match tree.kind(node) {
            Kind::VoidType => Type::Void,
            Kind::IntegralType | Kind::FloatingPointType | Kind::BooleanType => {
                Primitive::of_keyword(self.file.text(node)).map_or(Type::Unknown, Type::Primitive)
            }
            Kind::TypeIdentifier | Kind::Identifier => self.simple(self.file.text(node)),
            Kind::ScopedTypeIdentifier | Kind::GenericType => self.qualified(node, depth),
            Kind::ArrayType => {
                let element = tree.child(node, Field::Element);
                let element = element.map_or(Type::Unknown, |e| self.ty_at(e, depth + 1));
                let extra = tree.child(node, Field::Dimensions);
                let extra = extra.map_or(0, |d| dimensions(tree, &self.file.source.text, d));
                element.with_dimensions(extra.min(255))
            }
            Kind::AnnotatedType => {
                tree.first_type(node).map_or(Type::Unknown, |t| self.ty_at(t, depth + 1))
            }
            _ => Type::Unknown,
        }
    }

    fn simple(&self, name: &str) -> Type {
        self.type_named(name).unwrap_or_else(|| Type::class(format!("{MISSING}{name}")))
    }

    /// `a.b.C<X>.D<Y>`: the parts in order, with the type arguments of the last first.
    fn qualified(&self, node: NodeId, depth: u32) -> Type {
        let mut names = Vec::new();
        let mut args = Vec::new();
        self.parts(node, depth, &mut names, &mut args);
        let class = match &names[..] {
            [single] => self.simple(single),
            _ => self
                .dotted(&names)
                .map_or_else(|| Type::class(format!("{MISSING}{}", names.join("."))), Type::class),
        };
        match class {
            Type::Class(class) if !args.is_empty() => {
                if names.len() == 1 {
                    args.extend(self.outer_arguments(&class.name));
                }
                Type::generic(class.name.clone(), args)
            }
            other => other,
        }
    }

    fn parts(&self, node: NodeId, depth: u32, names: &mut Vec<&'w str>, args: &mut Vec<Type>) {
        let tree = &self.file.tree;
        if depth > DEPTH_MAX {
            return;
        }
        match tree.kind(node) {
            Kind::TypeIdentifier => names.push(self.file.text(node)),
            Kind::ScopedTypeIdentifier | Kind::GenericType => {
                for child in tree.children(node) {
                    if tree.kind(child) == Kind::TypeArguments {
                        args.splice(0..0, self.type_arguments(child, depth + 1));
                    } else {
                        self.parts(child, depth + 1, names, args);
                    }
                }
            }
            _ => {}
        }
    }

    /// The types in `<...>`.
    pub fn type_arguments(&self, node: NodeId, depth: u32) -> Vec<Type> {
        let tree = &self.file.tree;
        let arguments = tree.children(node).filter_map(|child| match tree.kind(child) {
            Kind::Wildcard => Some(self.wildcard(child, depth)),
            kind if kind.is_type() => Some(self.ty_at(child, depth + 1)),
            _ => None,
        });
        arguments.collect()
    }

    fn wildcard(&self, node: NodeId, depth: u32) -> Type {
        let tree = &self.file.tree;
        let bound = tree.first_type(node).map(|t| self.ty_at(t, depth + 1));
        let is_super = tree.first(node, Kind::Super).is_some();
        Type::Wildcard(Arc::new(match bound {
            None => Wildcard::Any,
            Some(bound) if is_super => Wildcard::Super(bound),
            Some(bound) => Wildcard::Extends(bound),
        }))
    }

    /// The type with this simple name, at this place.
    pub fn type_named(&self, name: &str) -> Option<Type> {
        for level in self.levels.iter().rev() {
            match level {
                TypeScope::Variable(variable) if &*variable.name == name => {
                    return Some(Type::Variable(variable.clone()));
                }
                TypeScope::Local(simple, binary) if &**simple == name => {
                    return Some(Type::class(binary.clone()));
                }
                TypeScope::Class(class) => {
                    if let Some(found) = self.member_class(class, name) {
                        return Some(self.member_type(found));
                    }
                }
                _ => {}
            }
        }
        self.file_level(name).map(Type::class)
    }

    /// A member class of a class around, without type arguments of its own.
    fn member_type(&self, class: Name) -> Type {
        let is_generic = self.view.decl(&class).is_some_and(|decl| decl.is_generic);
        let args = if is_generic { Vec::new() } else { self.outer_arguments(&class) };
        Type::generic(class, args)
    }

    /// What an inner class named here has for the type parameters of the classes around
    /// it: these, as it is named within them.
    pub fn outer_arguments(&self, class: &Name) -> Vec<Type> {
        let mut found = Vec::new();
        let mut around = self.view.around(class);
        while let Some(outer) = around {
            let of_outer = |level: &TypeScope| match level {
                TypeScope::Variable(variable) if variable.owner == outer.name => {
                    Some(Type::Variable(variable.clone()))
                }
                _ => None,
            };
            found.extend(self.levels.iter().filter_map(of_outer));
            around = self.view.around(&outer.name);
        }
        found
    }

    /// A class visible in the whole file: imports, the package, `java.lang`.
    fn file_level(&self, name: &str) -> Option<Name> {
        if let Some(known) = self.by_name.borrow().get(name) {
            return known.clone();
        }
        let found = self.find_file_level(name);
        self.by_name.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }

    fn find_file_level(&self, name: &str) -> Option<Name> {
        let imports = &self.file.imports;
        if let Some(qualified) = imports.single.get(name) {
            return self.view.class_by_qualified_name(qualified);
        }
        let here = match imports.package.as_str() {
            "" => name.to_owned(),
            package => format!("{package}.{name}"),
        };
        let member_of = |class: &String| {
            let class = self.view.class_by_qualified_name(class)?;
            self.member_class(&class, name)
        };
        let static_single = || imports.static_single.get(name)?.iter().find_map(member_of);
        let on_demand = |package: &String| {
            let visible = self.view.visible_in(package, name, &imports.package);
            visible.or_else(|| member_of(package))
        };
        self.view
            .existing(&here)
            .or_else(static_single)
            .or_else(|| imports.on_demand.iter().find_map(on_demand))
            .or_else(|| self.view.visible_in("java.lang", name, &imports.package))
            .or_else(|| imports.static_on_demand.iter().find_map(member_of))
            .or_else(|| {
                let packages = imports.modules.iter().flat_map(|m| self.view.exported_packages(m));
                packages
                    .into_iter()
                    .find_map(|package| self.view.visible_in(&package, name, &imports.package))
            })
    }

    /// The class `A.B.C` or `a.b.C`.
    pub fn dotted(&self, names: &[&str]) -> Option<Name> {
        let (first, rest) = names.split_first()?;
        if let Some(Type::Class(class)) = self.type_named(first) {
            let step = |class: Name, name: &&str| self.member_class(&class, name);
            return rest.iter().try_fold(class.name.clone(), step);
        }
        self.view.class_by_qualified_name(&names.join("."))
    }

    /// The member class of `class` with this simple name, inherited ones too.
    pub fn member_class(&self, class: &Name, simple: &str) -> Option<Name> {
        let key = (class.clone(), simple.to_owned());
        if let Some(known) = self.member.borrow().get(&key) {
            return known.clone();
        }
        let found = self.find_member_class(class, simple);
        if self.view.is_complete() {
            self.member.borrow_mut().insert(key, found.clone());
        }
        found
    }

    /// Local classes first, each once, before its supertypes; the view knows the others.
    fn find_member_class(&self, class: &Name, simple: &str) -> Option<Name> {
        let mut seen: Set<&Name> = Set::default();
        let mut todo = vec![class];
        while let Some(class) = todo.pop() {
            let Some(local) = self.locals.get(class) else {
                match self.view.member_class(class, simple) {
                    Some(found) => return Some(found),
                    None => continue,
                }
            };
            if let Some(found) = local.members.get(simple) {
                return Some(found.clone());
            }
            if seen.insert(class) {
                todo.extend(local.supers.iter().rev());
            }
        }
        None
>>>>>>> 152598bbb7fd8c3219f842982dc6cc1a018508c4
    }
}

//! Resolution of the type names of one file: type variables, local and member classes (inherited
//! ones too), imports, the package, `java.lang`.

use std::cell::RefCell;
use std::sync::Arc;

use super::class::ClassInfo;
use super::file_unit::{FileUnit, count_dimensions};
use super::kinds::{Field, Kind};
use super::syntax_tree::NodeId;
use super::tracked_lookup::TrackedLookup;
use super::types::{Name, Primitive, Type, TypeVariable, Wildcard};
use crate::java::fast_hash::{Map, Set};

/// Scope that brings type names in.
#[derive(Debug, Clone)]
pub(crate) enum TypeScope {
    /// The member classes of this class.
    Class(Name),
    /// A type variable.
    Variable(Arc<TypeVariable>),
    /// A local class: simple and binary name.
    Local(Name, Name),
}

/// Class declared inside a method, which only its own file can refer to.
#[derive(Debug, Clone)]
pub(crate) struct LocalClass {
    pub supers: Vec<Name>,
    pub members: Map<String, Name>,
    pub info: Option<Arc<ClassInfo>>,
}

/// Resolver of the type names of one file, at the present scope.
pub(crate) struct TypeNames<'w> {
    pub lookup: TrackedLookup<'w>,
    pub file: &'w FileUnit<'w>,
    /// Type names in scope, outermost first.
    pub levels: Vec<TypeScope>,
    pub locals: Map<Name, LocalClass>,
    /// Names of types that were not found.
    missing: RefCell<Set<String>>,
    by_name: RefCell<Map<String, Option<Name>>>,
    member: RefCell<Map<(Name, String), Option<Name>>>,
}

/// Deepest type nesting that is followed.
const DEPTH_MAX: u32 = 64;

/// Prefix of the name of a class that can't be found.
pub(crate) const MISSING_CLASS_PREFIX: &str = "?.";

impl<'w> TypeNames<'w> {
    pub fn new(lookup: TrackedLookup<'w>, file: &'w FileUnit<'w>) -> TypeNames<'w> {
        TypeNames {
            lookup,
            file,
            levels: Vec::new(),
            locals: Map::default(),
            missing: RefCell::default(),
            by_name: RefCell::default(),
            member: RefCell::default(),
        }
    }

    /// Resolves the type at `node`. A class that can't be found becomes a class whose name starts
    /// with `?.`.
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
            Kind::TypeIdentifier | Kind::Identifier => self.simple_type(self.file.text(node)),
            Kind::ScopedTypeIdentifier | Kind::GenericType => self.qualified_type(node, depth),
            Kind::ArrayType => {
                let element = tree.child(node, Field::Element);
                let element = element.map_or(Type::Unknown, |e| self.ty_at(e, depth + 1));
                let extra = tree.child(node, Field::Dimensions);
                let extra = extra.map_or(0, |d| count_dimensions(tree, &self.file.source.text, d));
                element.with_dimensions(extra.min(255))
            }
            Kind::AnnotatedType => {
                tree.first_type(node).map_or(Type::Unknown, |t| self.ty_at(t, depth + 1))
            }
            _ => Type::Unknown,
        }
    }

    fn simple_type(&self, name: &str) -> Type {
        self.type_named(name).unwrap_or_else(|| self.missing(name))
    }

    fn missing(&self, name: &str) -> Type {
        self.missing.borrow_mut().insert(name.to_owned());
        Type::class(format!("{MISSING_CLASS_PREFIX}{name}"))
    }

    /// Registers a local class by its supertypes and its member classes.
    pub(crate) fn add_local(&mut self, header: &ClassInfo, members: Map<String, Name>) {
        let supers = header.supertypes().filter_map(Type::class_name).cloned().collect();
        let local = LocalClass { supers, members, info: None };
        self.locals.insert(header.name.clone(), local);
    }

    /// Returns the names of types that were not found, as they are written.
    pub(crate) fn missing_types(&self) -> Vec<String> {
        self.missing.borrow().iter().cloned().collect()
    }

    /// Resolves `a.b.C<X>.D<Y>`, whose type arguments are collected with the last's first.
    fn qualified_type(&self, node: NodeId, depth: u32) -> Type {
        let mut names = Vec::new();
        let mut args = Vec::new();
        self.parts(node, depth, &mut names, &mut args);
        let class = match &names[..] {
            [single] => self.simple_type(single),
            _ => self
                .class_by_parts(&names)
                .map_or_else(|| self.missing(&names.join(".")), Type::class),
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

    /// Resolves the types in `<...>`.
    pub(crate) fn type_arguments(&self, node: NodeId, depth: u32) -> Vec<Type> {
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
        let is_super = tree.first_of_kind(node, Kind::Super).is_some();
        Type::Wildcard(Arc::new(match bound {
            None => Wildcard::Any,
            Some(bound) if is_super => Wildcard::Super(bound),
            Some(bound) => Wildcard::Extends(bound),
        }))
    }

    /// Resolves a simple name in the present scope.
    pub(crate) fn type_named(&self, name: &str) -> Option<Type> {
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
        self.file_level_class(name).map(Type::class)
    }

    /// Returns the type of a member class of an enclosing class, without type arguments of its own.
    fn member_type(&self, class: Name) -> Type {
        let is_generic = self.lookup.decl(&class).is_some_and(|decl| decl.is_generic);
        let args = if is_generic { Vec::new() } else { self.outer_arguments(&class) };
        Type::generic(class, args)
    }

    /// Returns the type arguments of an inner class named here for the type parameters of the
    /// classes around it: these parameters themselves, as it is named within them.
    pub(crate) fn outer_arguments(&self, class: &Name) -> Vec<Type> {
        let mut found = Vec::new();
        let mut around = self.lookup.outer_decl(class);
        while let Some(outer) = around {
            let of_outer = |level: &TypeScope| match level {
                TypeScope::Variable(variable) if variable.owner == outer.name => {
                    Some(Type::Variable(variable.clone()))
                }
                _ => None,
            };
            found.extend(self.levels.iter().filter_map(of_outer));
            around = self.lookup.outer_decl(&outer.name);
        }
        found
    }

    /// Finds a class visible in the whole file: imports, the package, `java.lang`.
    fn file_level_class(&self, name: &str) -> Option<Name> {
        if let Some(known) = self.by_name.borrow().get(name) {
            return known.clone();
        }
        let found = self.find_file_level_class(name);
        self.by_name.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }

    fn find_file_level_class(&self, name: &str) -> Option<Name> {
        let imports = &self.file.imports;
        if let Some(qualified) = imports.single.get(name) {
            return self.lookup.class_by_qualified_name(qualified);
        }
        let here = match imports.package.as_str() {
            "" => name.to_owned(),
            package => format!("{package}.{name}"),
        };
        let member_of = |class: &String| {
            let class = self.lookup.class_by_qualified_name(class)?;
            self.member_class(&class, name)
        };
        let static_single = || imports.static_single.get(name)?.iter().find_map(member_of);
        let on_demand = |package: &String| {
            let visible = self.lookup.find_visible(package, name, &imports.package);
            visible.or_else(|| member_of(package))
        };
        self.lookup
            .find_existing(&here)
            .or_else(static_single)
            .or_else(|| imports.on_demand.iter().find_map(on_demand))
            .or_else(|| self.lookup.find_visible("java.lang", name, &imports.package))
            .or_else(|| imports.static_on_demand.iter().find_map(member_of))
            .or_else(|| {
                let packages =
                    imports.modules.iter().flat_map(|m| self.lookup.exported_packages(m));
                packages
                    .into_iter()
                    .find_map(|package| self.lookup.find_visible(&package, name, &imports.package))
            })
    }

    /// Finds the class `A.B.C` or `a.b.C`, given its parts.
    pub(crate) fn class_by_parts(&self, names: &[&str]) -> Option<Name> {
        let (first, rest) = names.split_first()?;
        if let Some(Type::Class(class)) = self.type_named(first) {
            let step = |class: Name, name: &&str| self.member_class(&class, name);
            return rest.iter().try_fold(class.name.clone(), step);
        }
        self.lookup.class_by_qualified_name(&names.join("."))
    }

    /// Finds the member class of `class` with this simple name, inherited ones too.
    pub(crate) fn member_class(&self, class: &Name, simple: &str) -> Option<Name> {
        let key = (class.clone(), simple.to_owned());
        if let Some(known) = self.member.borrow().get(&key) {
            return known.clone();
        }
        let found = self.find_member_class(class, simple);
        if self.lookup.has_hierarchy() {
            self.member.borrow_mut().insert(key, found.clone());
        }
        found
    }

    /// Finds a member class in local classes, each once, before its supertypes; the others are
    /// found by the tracked look-up.
    fn find_member_class(&self, class: &Name, simple: &str) -> Option<Name> {
        let mut seen: Set<&Name> = Set::default();
        let mut todo = vec![class];
        while let Some(class) = todo.pop() {
            let Some(local) = self.locals.get(class) else {
                match self.lookup.member_class(class, simple) {
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
    }
}

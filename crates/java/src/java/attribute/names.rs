//! Names: locals, fields, types and packages (JLS 6.5).

use super::{Attributor, Symbol};
use crate::java::constants::{self, statically_imported_field};
use crate::java::kinds::{Field, Kind};
use crate::java::members::FoundField;
use crate::java::syntax_tree::NodeId;
use crate::java::types::Type;

/// Qualifier before a dot: a value, a type, a package or `super`.
pub(super) enum Qualifier {
    Value(Type),
    Type(Type),
    Package(String),
    Super(Type),
}

impl Attributor<'_> {
    pub(super) fn is_constant_field(&self, found: &FoundField) -> bool {
        constants::is_constant(&self.resolver, found)
    }

    /// Attributes a simple name as a variable and returns its type; `None` if there is none.
    pub(super) fn variable(&mut self, node: NodeId) -> Option<Type> {
        let name = self.text(node);
        let local = self.scope.find(name).cloned();
        let depth = local.as_ref().map_or(0, |l| l.class_depth);
        for class in self.classes[depth..].iter().rev() {
            let this = class.this_type();
            if let Some(found) = self.resolver.field(&this, name) {
                return Some(self.found_field(node, found));
            }
        }
        if let Some(local) = local {
            self.set_symbol(node, Symbol::Local);
            self.set_constant(node, local.constant);
            return Some(local.ty);
        }
        let found = statically_imported_field(&self.resolver, name)?;
        Some(self.found_field(node, found))
    }

    fn found_field(&mut self, node: NodeId, found: FoundField) -> Type {
        let constant = self.is_constant_field(&found);
        let symbol = match (constant, found.field.is_static) {
            (true, _) => Symbol::ConstantField,
            (false, true) => Symbol::StaticField,
            (false, false) => Symbol::Field,
        };
        self.set_symbol(node, symbol);
        self.set_constant(node, constant);
        found.ty
    }

    pub(super) fn identifier(&mut self, node: NodeId) -> Type {
        self.variable(node).unwrap_or_else(|| {
            self.set_symbol(node, Symbol::Unresolved);
            Type::Unknown
        })
    }

    /// Resolves the qualifier before a dot: names are looked up as variable, type, package.
    pub(super) fn qualifier(&mut self, node: NodeId) -> Qualifier {
        // Down the dots to the first name, and up again: long chains do not recurse.
        let tree = self.tree();
        let mut chain = Vec::new();
        let mut at = node;
        while self.is_dotted_name(at) {
            chain.push(at);
            let Some(object) = tree.child(at, Field::Object) else { break };
            at = object;
        }
        let mut qualifier = match tree.kind(at) {
            Kind::Super => Qualifier::Super(self.super_type()),
            Kind::Identifier => self.first_name(at),
            _ => Qualifier::Value(self.expression(at, None)),
        };
        while let Some(access) = chain.pop() {
            qualifier = self.member(access, qualifier);
            self.facts.visited[access.0 as usize] = true;
        }
        qualifier
    }

    /// Whether a node is a field access whose object may be a type or a package.
    fn is_dotted_name(&self, node: NodeId) -> bool {
        let tree = self.tree();
        tree.kind(node) == Kind::FieldAccess
            && tree.child(node, Field::FieldName).is_some_and(|f| tree.kind(f) == Kind::Identifier)
            && tree.first_of_kind(node, Kind::Super).is_none_or(|s| tree.field(s) == Field::Object)
    }

    fn first_name(&mut self, node: NodeId) -> Qualifier {
        if let Some(ty) = self.variable(node) {
            self.set_type(node, ty.clone());
            return Qualifier::Value(ty);
        }
        self.facts.visited[node.0 as usize] = true;
        let name = self.text(node);
        match self.resolver.names.type_named(name) {
            Some(ty) => {
                self.set_symbol(node, Symbol::Type);
                Qualifier::Type(ty)
            }
            None => {
                self.set_symbol(node, Symbol::Package);
                Qualifier::Package(name.to_owned())
            }
        }
    }

    /// Resolves `qualifier.name` at the field access `node`.
    fn member(&mut self, node: NodeId, qualifier: Qualifier) -> Qualifier {
        let Some(name) = self.tree().child(node, Field::FieldName).map(|n| self.text(n)) else {
            return Qualifier::Value(Type::Unknown);
        };
        match qualifier {
            Qualifier::Value(ty) => Qualifier::Value(self.member_of_value(node, &ty, name)),
            Qualifier::Super(ty) => Qualifier::Value(self.member_of_value(node, &ty, name)),
            Qualifier::Type(ty) => self.member_of_type(node, &ty, name),
            Qualifier::Package(package) => {
                let qualified = format!("{package}.{name}");
                match self.resolver.names.lookup.class_by_qualified_name(&qualified) {
                    Some(class) => {
                        self.set_symbol(node, Symbol::Type);
                        Qualifier::Type(Type::class(class))
                    }
                    None => {
                        self.set_symbol(node, Symbol::Package);
                        Qualifier::Package(qualified)
                    }
                }
            }
        }
    }

    fn member_of_value(&mut self, node: NodeId, ty: &Type, name: &str) -> Type {
        let receiver = self.inference.final_type(ty);
        let ty = if receiver.element().is_some() && name == "length" {
            self.set_symbol(node, Symbol::Length);
            Type::INT
        } else if let Some(found) = self.resolver.field(&receiver, name) {
            let ty = self.found_field(node, found);
            // `this.own` is not a constant expression (JLS 15.29), although it counts nothing.
            self.set_constant(node, false);
            self.readable(&ty)
        } else {
            self.set_symbol(node, Symbol::Unresolved);
            Type::Unknown
        };
        self.set_type(node, ty.clone());
        ty
    }

    fn member_of_type(&mut self, node: NodeId, ty: &Type, name: &str) -> Qualifier {
        if let Some(found) = self.resolver.field(ty, name) {
            let ty = self.found_field(node, found);
            self.set_type(node, ty.clone());
            return Qualifier::Value(ty);
        }
        let class = ty.class_name().and_then(|c| self.resolver.names.member_class(c, name));
        match class {
            Some(class) => {
                self.set_symbol(node, Symbol::Type);
                Qualifier::Type(Type::class(class))
            }
            None => {
                self.set_symbol(node, Symbol::Unresolved);
                Qualifier::Value(Type::Unknown)
            }
        }
    }

    /// Returns the type of a value read from a member: a wildcard becomes its upper bound.
    pub(super) fn readable(&self, ty: &Type) -> Type {
        match ty {
            Type::Wildcard(_) => self.resolver.upper_bound(ty),
            other => other.clone(),
        }
    }

    /// Attributes a field access as an expression and returns its type.
    pub(super) fn field_access(&mut self, node: NodeId) -> Type {
        let tree = self.tree();
        if self.is_dotted_name(node) {
            return match self.qualifier(node) {
                Qualifier::Value(ty) => ty,
                _ => {
                    self.set_symbol(node, Symbol::Unresolved);
                    Type::Unknown
                }
            };
        }
        // `Outer.this`, `Outer.super.field`
        let object = tree.child(node, Field::Object);
        let outer = object.map_or(Type::Unknown, |o| self.type_name(o));
        let field = tree.child(node, Field::FieldName);
        if field.is_some_and(|f| tree.kind(f) == Kind::This) {
            return self.with_own_arguments(outer);
        }
        let superclass = outer.class_name().and_then(|n| self.resolver.class(n));
        let superclass = superclass.and_then(|c| c.superclass.clone()).unwrap_or_default();
        let name = field.map_or("", |f| self.text(f));
        self.member_of_value(node, &superclass, name)
    }

    /// Replaces an enclosing class by the type of its `this`, with its own type arguments.
    fn with_own_arguments(&self, ty: Type) -> Type {
        let around = self.classes.iter().rev().find(|c| Some(&c.name) == ty.class_name());
        around.map_or(ty.clone(), |c| c.this_type())
    }

    /// Resolves a dotted name with the syntax of an expression that denotes a type.
    pub(super) fn type_name(&mut self, node: NodeId) -> Type {
        self.set_symbol(node, Symbol::Type);
        if let Kind::Identifier | Kind::FieldAccess = self.tree().kind(node) {
            let names: Vec<&str> = self.text(node).split('.').map(str::trim).collect();
            if let Some(class) = self.resolver.names.class_by_parts(&names) {
                return Type::class(class);
            }
        }
        Type::Unknown
    }

    /// Returns the superclass of the innermost enclosing class.
    pub(super) fn super_type(&self) -> Type {
        self.this_class().and_then(|c| c.superclass.clone()).unwrap_or_default()
    }
}

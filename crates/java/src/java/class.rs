//! Description of a class and its members, from syntax or from a class file.

use std::sync::Arc;

use super::syntax_tree::NodeId;
use super::types::{Name, Type, TypeVariable};
use crate::java::fast_hash::Map;

/// Visibility of a member: the classes that inherit it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Visibility {
    /// `public` and `protected`: inherited by all.
    #[default]
    Open,
    /// No modifier: inherited in its package.
    Package,
    /// `private`: never inherited.
    Private,
}

impl Visibility {
    /// Whether a member of class `declaring` is inherited by its subclass `inheriting`.
    pub(crate) fn is_inherited(self, declaring: &str, inheriting: &str) -> bool {
        match self {
            Visibility::Open => true,
            Visibility::Package => package(declaring) == package(inheriting),
            Visibility::Private => declaring == inheriting,
        }
    }
}

/// Returns the package of a binary name.
fn package(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}

/// Description of a class, interface, enum, record or annotation type, with its members.
#[derive(Debug, Clone, Default)]
pub struct ClassInfo {
    /// Binary name with package.
    pub name: Name,
    /// Classes that can access it; as a member class, those that inherit it.
    pub visibility: Visibility,
    /// Whether it is an interface or annotation type.
    pub is_interface: bool,
    /// Whether it is an enum.
    pub is_enum: bool,
    /// Whether the analysed sources declare it.
    pub from_source: bool,
    /// Type parameters, in order.
    pub type_parameters: Vec<Arc<TypeVariable>>,
    /// Type parameters of the classes around an inner class, nearer ones first.
    pub outer_parameters: Vec<Arc<TypeVariable>>,
    /// The superclass; none for `Object` (interfaces have `Object`).
    pub superclass: Option<Type>,
    /// Direct superinterfaces.
    pub interfaces: Vec<Type>,
    /// Fields by name.
    pub fields: Map<Name, FieldInfo>,
    /// Methods by name; constructors are `<init>`.
    pub methods: Map<Name, Vec<Arc<MethodInfo>>>,
    /// Binary names of the member classes that a class file names, by simple name. Those of source
    /// classes are in their declarations.
    pub members: Map<Name, Name>,
    /// Record components in order: name and type; empty for other classes.
    pub components: Vec<(Name, Type)>,
    /// Node in its own file: the body of an anonymous class, the declaration of others; none for
    /// class files.
    pub declaration: Option<NodeId>,
}

/// Whether a field is a constant variable (JLS 4.12.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constancy {
    /// An ordinary field.
    No,
    /// A constant variable.
    Yes,
    /// Final, primitive or String: constant if its initialiser at this node is.
    If(NodeId),
}

/// Field of a class, with its type and modifiers.
#[derive(Debug, Clone)]
pub struct FieldInfo {
    /// Declared type.
    pub ty: Type,
    /// Who inherits it.
    pub visibility: Visibility,
    /// Whether it is a constant variable.
    pub constancy: Constancy,
    /// Whether it belongs to the class instead of its objects.
    pub is_static: bool,
}

/// Method or constructor of a class, with its signature and modifiers.
#[derive(Debug, Clone)]
pub struct MethodInfo {
    /// Binary name of the class that declares it.
    pub class: Name,
    /// Name; `<init>` for constructors.
    pub name: Name,
    /// Type parameters of the method itself.
    pub type_parameters: Vec<Arc<TypeVariable>>,
    /// Parameter types; the last is an array if `varargs`.
    pub parameters: Vec<Type>,
    /// Return type; `void` for constructors.
    pub returns: Type,
    /// Whether the last parameter takes any number of arguments.
    pub varargs: bool,
    /// Who inherits it.
    pub visibility: Visibility,
    /// Whether it is static.
    pub is_static: bool,
    /// Declaration in its own file; none for class files and implicit members.
    pub declaration: Option<NodeId>,
    /// Whether it has no body of its own to run.
    pub is_abstract: bool,
    /// Whether the analysed sources declare it.
    pub from_source: bool,
    /// Whether its body is too large for compilers to inline at every call; false for class files.
    pub is_large: bool,
}

impl ClassInfo {
    /// Returns the type of `this` within the class: its own type variables as arguments.
    pub(crate) fn this_type(&self) -> Type {
        let args = self.parameters().map(|v| Type::Variable(v.clone())).collect();
        Type::generic(self.name.clone(), args)
    }

    /// Iterates over all its type parameters, those of outer classes last, in the order of type
    /// arguments.
    pub fn parameters(&self) -> impl Iterator<Item = &Arc<TypeVariable>> {
        self.type_parameters.iter().chain(&self.outer_parameters)
    }

    /// Iterates over superclass and superinterfaces.
    pub fn supertypes(&self) -> impl Iterator<Item = &Type> {
        self.superclass.iter().chain(&self.interfaces)
    }

    /// Returns its own methods of this name.
    pub(crate) fn methods_named(&self, name: &str) -> &[Arc<MethodInfo>] {
        self.methods.get(name).map_or(&[], Vec::as_slice)
    }
}

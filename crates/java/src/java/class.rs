//! What the resolver knows of a class, be it from syntax or from a class file.

use std::sync::Arc;

use super::syntax_tree::NodeId;
use super::types::{Name, Type, TypeVariable};
use crate::java::fast::Map;

/// Which classes a member is inherited by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Visibility {
    /// `public` and `protected`: all.
    #[default]
    Open,
    /// No modifier: those of its package.
    Package,
    /// `private`: none.
    Private,
}

impl Visibility {
    /// Whether a member of class `declaring` is a member of `inheriting`, below it.
    pub(crate) fn is_inherited(self, declaring: &str, inheriting: &str) -> bool {
        match self {
            Visibility::Open => true,
            Visibility::Package => package(declaring) == package(inheriting),
            Visibility::Private => declaring == inheriting,
        }
    }
}

/// The package of a binary name.
fn package(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}

/// A class, interface, enum, record or annotation type.
#[derive(Debug, Clone, Default)]
pub struct ClassInfo {
    /// Binary name with package.
    pub name: Name,
    /// Who sees it; who inherits it, as a member class.
    pub visibility: Visibility,
    /// Whether it is an interface or annotation type.
    pub is_interface: bool,
    /// Whether it is an enum.
    pub is_enum: bool,
    /// Whether the analysed sources declare it.
    pub from_source: bool,
    /// Type parameters, in order.
    pub type_parameters: Vec<Arc<TypeVariable>>,
    /// Those of the classes around an inner class, nearer ones first.
    pub outer_parameters: Vec<Arc<TypeVariable>>,
    /// The superclass; none for `Object` (interfaces have `Object`).
    pub superclass: Option<Type>,
    /// Direct superinterfaces.
    pub interfaces: Vec<Type>,
    /// Fields by name.
    pub fields: Map<Name, FieldInfo>,
    /// Methods by name; constructors are `<init>`.
    pub methods: Map<Name, Vec<Arc<MethodInfo>>>,
    /// Member classes that a class file names, by simple name: their binary names. Those of
    /// source classes are in their declarations.
    pub members: Map<Name, Name>,
    /// Record components in order: name and type; empty for other classes.
    pub components: Vec<(Name, Type)>,
    /// Where its own file declares it: the body of an anonymous class, the declaration
    /// of others; none for class files.
    pub declaration: Option<NodeId>,
}

/// Whether reading a field may be a constant (JLS 4.12.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constancy {
    /// An ordinary field.
    No,
    /// A constant variable.
    Yes,
    /// Final, primitive or String: constant if its initialiser at this node is.
    If(NodeId),
}

/// A field.
#[derive(Debug, Clone)]
pub struct FieldInfo {
    /// Its type.
    pub ty: Type,
    /// Who inherits it.
    pub visibility: Visibility,
    /// Whether it is a constant variable.
    pub constancy: Constancy,
    /// Whether it belongs to the class instead of its objects.
    pub is_static: bool,
}

/// A method or constructor.
#[derive(Debug, Clone)]
pub struct MethodInfo {
    /// Binary name of the class that declares it.
    pub class: Name,
    /// Its name.
    pub name: Name,
    /// Its own type parameters.
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
    /// Where its own file declares it; none for class files and implicit members.
    pub declaration: Option<NodeId>,
    /// Whether it has no body of its own to run.
    pub is_abstract: bool,
    /// Whether the analysed sources declare it.
    pub from_source: bool,
    /// Whether its body is more than compilers inline wherever they meet it; false for class
    /// files.
    pub is_large: bool,
}

impl ClassInfo {
    /// The type of `this` within the class: its own variables as arguments.
    pub(crate) fn this_type(&self) -> Type {
        let args = self.parameters().map(|v| Type::Variable(v.clone())).collect();
        Type::generic(self.name.clone(), args)
    }

    /// What the arguments of its types stand for, in order.
    pub fn parameters(&self) -> impl Iterator<Item = &Arc<TypeVariable>> {
        self.type_parameters.iter().chain(&self.outer_parameters)
    }

    /// Superclass and superinterfaces.
    pub fn supertypes(&self) -> impl Iterator<Item = &Type> {
        self.superclass.iter().chain(&self.interfaces)
    }

    /// Its methods of this name.
    pub(crate) fn methods_named(&self, name: &str) -> &[Arc<MethodInfo>] {
        self.methods.get(name).map_or(&[], Vec::as_slice)
    }
}

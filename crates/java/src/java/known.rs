//! What is found out once about a class and its methods, and kept by the resolver.

use std::sync::Arc;

use super::class::{ClassInfo, MethodInfo};
use super::types::{Name, Substitution};
use crate::java::fast::{Map, Set};

/// A class and everything above it, as far as it is known.
#[derive(Debug, Default)]
pub(crate) struct Ancestors {
    pub order: Vec<Name>,
    pub(super) set: Set<Name>,
    /// Whether one of them can't be found: there may be more.
    pub(super) is_open: bool,
}

/// A method as a member of a type.
#[derive(Clone)]
pub(crate) struct CandidateMethod {
    pub method: Arc<MethodInfo>,
    /// What the type variables of its class stand for.
    pub substitution: Arc<Substitution>,
    /// Whether the receiver is a raw type: then all of the method is erased.
    pub raw: bool,
}

/// What kind of member is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum MemberKind {
    Field,
    Method,
}

/// By kind and name of a member, then by class: the nearest class that declares it, the class
/// itself or one of its superclasses; none if there is none.
pub(super) type KnownDeclarers = Map<(MemberKind, String), Map<Name, Option<Name>>>;

impl MemberKind {
    pub(super) fn is_in(self, class: &ClassInfo, name: &str) -> bool {
        match self {
            MemberKind::Field => class.fields.contains_key(name),
            MemberKind::Method => !class.methods_named(name).is_empty(),
        }
    }
}

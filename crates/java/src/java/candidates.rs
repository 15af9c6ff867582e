//! Look-up results that the resolver caches: ancestors of a class, candidate methods, declarers.

use std::sync::Arc;

use super::class::{ClassInfo, MethodInfo};
use super::types::{Name, Substitution};
use crate::java::fast_hash::{Map, Set};

/// A class and all its supertypes, as far as they are found.
#[derive(Debug, Default)]
pub(crate) struct Ancestors {
    pub order: Vec<Name>,
    pub(super) set: Set<Name>,
    /// Whether a supertype can't be found, so that there may be more.
    pub(super) is_open: bool,
}

/// Method as a member of a type, for overload resolution.
#[derive(Clone)]
pub(crate) struct CandidateMethod {
    pub method: Arc<MethodInfo>,
    /// Type arguments for the type variables of its class.
    pub substitution: Arc<Substitution>,
    /// Whether the receiver is a raw type: then all of the method is erased.
    pub raw: bool,
}

/// Kind of a member that is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum MemberKind {
    Field,
    Method,
}

/// Nearest declaring class, the class itself or one of its superclasses, by kind and name of the
/// member, then by class; none if there is none.
pub(super) type KnownDeclarers = Map<(MemberKind, String), Map<Name, Option<Name>>>;

impl MemberKind {
    pub(super) fn is_in(self, class: &ClassInfo, name: &str) -> bool {
        match self {
            MemberKind::Field => class.fields.contains_key(name),
            MemberKind::Method => !class.methods_named(name).is_empty(),
        }
    }
}

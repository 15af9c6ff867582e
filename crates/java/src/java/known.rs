//! What is found out once about a class and its methods, and kept by the resolver.

use std::sync::Arc;

use super::class::MethodInfo;
use super::types::{Name, Substitution};
use crate::java::fast::Set;

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

//! What is above the classes of a program: the second thing that is known of them.

use std::sync::Arc;

use super::declarations::Declarations;
use super::types::Name;
use crate::java::fast::Map;

/// The classes of the sources and their direct supertypes.
pub(crate) struct Hierarchy<'w> {
    pub(super) declarations: Declarations<'w>,
    supertypes: SupertypeNames,
}

/// By source class: its direct supertypes, without type arguments.
pub(crate) type SupertypeNames = Map<Name, Arc<[Name]>>;

impl<'w> Hierarchy<'w> {
    /// `supertypes` has those of all classes of `declarations`.
    pub fn new(declarations: Declarations<'w>, supertypes: SupertypeNames) -> Hierarchy<'w> {
        Hierarchy { declarations, supertypes }
    }

    /// Direct supertypes of a source class.
    pub(crate) fn supertypes_of(&self, class: &str) -> &[Name] {
        self.supertypes.get(class).map_or(&[], |supertypes| supertypes)
    }
}

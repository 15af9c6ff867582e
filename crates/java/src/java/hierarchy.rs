//! Class hierarchy of a program, resolved after its declarations.

use std::sync::Arc;

use super::declarations::Declarations;
use super::types::Name;
use crate::java::fast_hash::Map;

/// Declarations of the sources with the direct supertypes of each class.
pub(crate) struct Hierarchy<'w> {
    pub(super) declarations: Declarations<'w>,
    supertypes: SupertypeNames,
}

/// Direct supertypes, without type arguments, by source class.
pub(crate) type SupertypeNames = Map<Name, Arc<[Name]>>;

impl<'w> Hierarchy<'w> {
    /// Makes a hierarchy of declarations and the supertypes of all their classes.
    pub fn new(declarations: Declarations<'w>, supertypes: SupertypeNames) -> Hierarchy<'w> {
        Hierarchy { declarations, supertypes }
    }

    /// Returns the direct supertypes of a source class.
    pub(crate) fn supertypes_of(&self, class: &str) -> &[Name] {
        self.supertypes.get(class).map_or(&[], |supertypes| supertypes)
    }
}

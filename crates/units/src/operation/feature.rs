//! Features of blocks: operations and calls of libraries.

use std::fmt;
use std::str::FromStr;

use compact_str::CompactString;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{LibraryFunction, Operation, OperationClass};

/// Countable unit of work with a cost: an operation or a library function. Operations sort
/// first, as by name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// An operation of the analysed sources.
    Operation(Operation),
    /// A call of a library function.
    Library(LibraryFunction),
}

/// A name that is neither in the catalogue nor a library function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown operation {0:?}; use a name of the operation catalogue or lib:CLASS.METHOD")]
pub struct UnknownFeature(pub String);

impl Feature {
    /// Returns its name in tables.
    pub fn name(&self) -> &str {
        match self {
            Feature::Operation(operation) => operation.name(),
            Feature::Library(function) => function.name(),
        }
    }

    /// Returns its class; that of all library functions is `Library`.
    pub fn class(&self) -> OperationClass {
        match self {
            Feature::Operation(operation) => operation.class(),
            Feature::Library(_) => OperationClass::Library,
        }
    }

    /// Returns the operation, if it is one.
    pub fn operation(&self) -> Option<Operation> {
        match self {
            Feature::Operation(operation) => Some(*operation),
            Feature::Library(_) => None,
        }
    }

    /// Returns the library function, if it is one.
    pub fn library(&self) -> Option<&LibraryFunction> {
        match self {
            Feature::Operation(_) => None,
            Feature::Library(function) => Some(function),
        }
    }

    /// Whether it is a library function.
    pub fn is_library(&self) -> bool {
        self.library().is_some()
    }
}

impl From<Operation> for Feature {
    fn from(operation: Operation) -> Feature {
        Feature::Operation(operation)
    }
}

impl From<LibraryFunction> for Feature {
    fn from(function: LibraryFunction) -> Feature {
        Feature::Library(function)
    }
}

impl PartialEq<Operation> for Feature {
    fn eq(&self, other: &Operation) -> bool {
        matches!(self, Feature::Operation(operation) if operation == other)
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Feature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Feature {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Feature, D::Error> {
        CompactString::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl FromStr for Feature {
    type Err = UnknownFeature;

    fn from_str(name: &str) -> Result<Feature, UnknownFeature> {
        let operation = Operation::of_name(name).map(Feature::Operation);
        let library = || LibraryFunction::of_name(name).map(Feature::Library);
        operation.or_else(library).ok_or_else(|| UnknownFeature(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for name in ["Assign_char[]_char[]", "lib:java.util.List.add"] {
            assert_eq!(name.parse::<Feature>().unwrap().to_string(), name);
        }
        for name in ["Addition_int", "lib:", "lib:GC", ""] {
            assert_eq!(name.parse::<Feature>(), Err(UnknownFeature(name.into())));
        }
    }

    #[test]
    fn features_are_ordered_by_name() {
        let names = ["lib:?.a", "lib:java.util.List.add", "lib:a.B.c"].into_iter();
        let names = names.chain(Operation::all().map(Operation::name));
        let mut features: Vec<Feature> = names.map(|name| name.parse().unwrap()).collect();
        features.sort();
        assert!(features.is_sorted_by_key(Feature::name));
    }

    #[test]
    fn features_know_their_class() {
        let class = |name: &str| name.parse::<Feature>().unwrap().class();
        assert_eq!(class("Field_Reference"), OperationClass::Reference);
        assert_eq!(class("lib:java.util.List.add"), OperationClass::Library);
    }

    /// Dictionaries hold millions of them.
    #[test]
    fn a_feature_is_no_larger_than_its_name() {
        assert_eq!(size_of::<Feature>(), 24);
    }
}

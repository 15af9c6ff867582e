//! Meaning of a feature column of a table, by its name. A table of counters has columns of any
//! name; in tables of wattline they are operations, their forms and library functions.

use super::{LibraryFunction, Operation};

/// Name of the column of GC runs, which are counted from the log.
pub const GARBAGE_COLLECTION: &str = "lib:GC";

/// Name of the column of the library functions without one of their own.
pub const LIBRARY_OTHER: &str = "lib:other";

/// Meaning of a feature column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureColumn {
    /// An operation, in whatever context.
    Operation(Operation),
    /// A library function, all those without a column of their own, or GC runs.
    Library,
    /// A quantity that wattline doesn't count.
    Other,
}

impl FeatureColumn {
    /// Classifies a column by its name: an operation's, a form's (`Field_Reference [read int]`), or
    /// one that begins as library functions do.
    pub fn of(name: &str) -> FeatureColumn {
        if FeatureColumn::is_library(name) {
            return FeatureColumn::Library;
        }
        Operation::of_name(split_form(name).0)
            .map_or(FeatureColumn::Other, FeatureColumn::Operation)
    }

    /// Whether one execution is a body of unknown length: a library function, or an allocation.
    pub fn is_body(self) -> bool {
        match self {
            FeatureColumn::Operation(operation) => {
                matches!(operation, Operation::NEW_OBJECT | Operation::NEW_ARRAY)
            }
            FeatureColumn::Library => true,
            FeatureColumn::Other => false,
        }
    }

    /// Whether a name is that of a library column; cheaper than [`FeatureColumn::of`].
    pub fn is_library(name: &str) -> bool {
        name.starts_with(LibraryFunction::PREFIX)
    }
}

/// Returns the name of a form, an operation in a context: `Field_Reference [read int]`.
pub fn form_name(operation: &str, context: &str) -> String {
    if context.is_empty() { operation.to_owned() } else { format!("{operation} [{context}]") }
}

/// Splits the name of a form into operation and context.
pub fn split_form(form: &str) -> (&str, &str) {
    let context =
        form.split_once(" [").and_then(|(name, rest)| Some((name, rest.strip_suffix(']')?)));
    context.unwrap_or((form, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_columns_stand_for() {
        let operation = FeatureColumn::Operation(Operation::FIELD_REFERENCE);
        assert_eq!(FeatureColumn::of("Field_Reference"), operation);
        assert_eq!(FeatureColumn::of(&form_name("Field_Reference", "read int")), operation);
        for name in ["lib:java.util.List.add", GARBAGE_COLLECTION, LIBRARY_OTHER] {
            assert_eq!(FeatureColumn::of(name), FeatureColumn::Library);
        }
        for name in ["cache_misses", "Field_References", ""] {
            assert_eq!(FeatureColumn::of(name), FeatureColumn::Other);
        }
    }

    #[test]
    fn a_form_comes_apart_again() {
        assert_eq!(split_form("Increment [local]"), ("Increment", "local"));
        assert_eq!(split_form("Increment"), ("Increment", ""));
    }
}

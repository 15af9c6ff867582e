//! The eight classes of operations: seven of the catalogue, and the library. Which
//! class an operation belongs to is data (the catalogue), not code.

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// A class of energy operations, in the order in which charts stack them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationClass {
    /// Calls, jumps, entries of blocks.
    Control,
    /// Parameters and returns.
    Function,
    /// Comparisons and logic.
    Boolean,
    /// Arithmetic, bits, String concatenation.
    Arithmetic,
    /// Assignments.
    Assignment,
    /// Array elements and fields.
    Reference,
    /// Declarations, creation, casts.
    Object,
    /// Library functions, garbage collection among them.
    Library,
}

impl OperationClass {
    /// All classes, in order.
    pub const ALL: [Self; 8] = [
        Self::Control,
        Self::Function,
        Self::Boolean,
        Self::Arithmetic,
        Self::Assignment,
        Self::Reference,
        Self::Object,
        Self::Library,
    ];

    /// The class of an operation by its name. `lib:...` is [`Self::Library`]; `None` for
    /// a name that the catalogue doesn't have.
    pub fn of(operation: &str) -> Option<Self> {
        if operation.starts_with("lib:") {
            return Some(Self::Library);
        }
        catalogue().get(operation).copied()
    }

    /// Its position in [`Self::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }

    /// Its name in columns and style sheets: `control`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Control => "control",
            Self::Function => "function",
            Self::Boolean => "boolean",
            Self::Arithmetic => "arithmetic",
            Self::Assignment => "assignment",
            Self::Reference => "reference",
            Self::Object => "object",
            Self::Library => "library",
        }
    }
}

impl fmt::Display for OperationClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Operation -> class, read once from the catalogue that is built in.
fn catalogue() -> &'static HashMap<String, OperationClass> {
    static CLASSES: OnceLock<HashMap<String, OperationClass>> = OnceLock::new();
    CLASSES.get_or_init(|| parse(include_str!("../operations/catalogue.csv")))
}

/// Reads the columns `operation` and `class` (the second and third).
fn parse(text: &str) -> HashMap<String, OperationClass> {
    csv::Reader::from_reader(text.as_bytes())
        .records()
        .filter_map(Result::ok)
        .filter_map(|row| {
            let class = OperationClass::ALL.into_iter().find(|class| {
                row.get(2).is_some_and(|name| name.eq_ignore_ascii_case(class.name()))
            })?;
            Some((row.get(1)?.to_string(), class))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_has_120_operations_in_seven_classes() {
        assert_eq!(catalogue().len(), 120);
        for class in &OperationClass::ALL[..7] {
            assert!(catalogue().values().any(|c| c == class), "{class}");
        }
    }

    #[test]
    fn operations_know_their_class() {
        assert_eq!(OperationClass::of("BlockGoto_for"), Some(OperationClass::Control));
        assert_eq!(OperationClass::of("Assign_char[]_char[]"), Some(OperationClass::Assignment));
        assert_eq!(OperationClass::of("lib:GC"), Some(OperationClass::Library));
        assert_eq!(OperationClass::of("Nonsense"), None);
        for (index, class) in OperationClass::ALL.into_iter().enumerate() {
            assert_eq!(class.index(), index);
        }
    }
}
